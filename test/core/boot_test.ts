import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AnyContext, type AnyPlugin, BootError, definePlugin, sql, t } from "lectern/core";
import { PUBLIC } from "../support/data/open_routes.ts";
import { FEW, WITH_BOOKS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Contracts {
    test_promise: object;
  }
  interface Events {
    test_happens: { draft: { name: string }; result: { name: string } };
  }
}
declare module "lectern/db" {
  interface Tables {
    test_notes: { id: number; text: string };
  }
}

type App = AnyContext["app"];

/** Boots that fail share its database. */
let base: TestRuntime;
beforeAll(async () => {
  base = await bootTestRuntime({ only: FEW });
});
afterAll(() => base.stop());

/** Boots a plugin among few of those that ship. */
async function bootError(extra: AnyPlugin, only = FEW): Promise<string> {
  try {
    const runtime = await bootTestRuntime({ extra: [extra], beside: base, only });
    await runtime.stop();
    return "booted";
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    expect(error).toBeInstanceOf(BootError);
    return error.message;
  }
}

describe("boot() stops and names the plugin", () => {
  test("that does not provide what it promises", async () => {
    const empty = definePlugin({ name: "empty", provides: ["test_promise"], setup: () => {} });
    expect(await bootError(empty)).toBe('The plugin "empty" lists "test_promise" in "provides" and did not provide it');
  });

  test("whose part in app_boot fails", async () => {
    const late = definePlugin({
      name: "late",
      setup({ on }) {
        on("app_boot", {
          inTransaction() {
            throw new TypeError("x is not a function");
          },
        });
      },
    });
    expect(await bootError(late)).toBe(
      'The plugin "late" stopped the boot: its handler of "app_boot" failed: x is not a function',
    );
  });

  test("that serves a route without a permit", async () => {
    const open = definePlugin({ name: "open", setup: ({ app }) => void app.get("/test-open", () => "hello") });
    expect(await bootError(open)).toBe('The plugin "open" serves GET /api/test-open without saying what it permits');
  });

  test("that serves a route another plugin serves already", async () => {
    const thief = definePlugin({
      name: "thief",
      setup: ({ app }) => void app.get("/system", () => "mine", { permit: "public" }),
    });
    expect(await bootError(thief)).toBe(
      'The plugin "thief" serves GET /api/system, which the plugin "system" serves already',
    );
  });

  test.each([
    ["beforeHandle", (app: App) => void app.onBeforeHandle({ as: "global" }, () => "mine")],
    ["afterHandle", (app: App) => void app.onAfterHandle({ as: "scoped" }, () => "mine")],
    ["request", (app: App) => void app.onRequest(() => {})],
    ["error", (app: App) => void app.onError({ as: "global" }, () => "mine")],
    ["guard", (app: App) => void app.guard({ as: "global", headers: t.Object({ key: t.String() }) })],
    ["wrap", (app: App) => void app.wrap((run: () => unknown) => run)],
  ])("whose %s hook would apply to the routes of other plugins", async (name, hook) => {
    const greedy = definePlugin({
      name: "greedy",
      setup({ app }) {
        hook(app);
        app.get("/test-greedy", () => "", { permit: "public" });
      },
    });
    expect(await bootError(greedy)).toBe(
      `Cannot mount the routes of the plugin "greedy": its "${name}" would apply to the routes of other plugins; hooks must be local`,
    );
  });

  test("that serves a route twice", async () => {
    const twice = definePlugin({
      name: "twice",
      setup: ({ app }) =>
        void app.get("/test-t", () => 1, { permit: "public" }).get("test-t", () => 2, { permit: "public" }),
    });
    expect(await bootError(twice)).toBe('The plugin "twice" serves GET /test-t twice');
  });

  test("whose route asks for a permission that nobody can hold", async () => {
    const slip = definePlugin({
      name: "slip",
      setup: ({ app }) => void app.get("/test-slip", () => "", { permit: "book-viwe-all" as "public" }),
    });
    expect(await bootError(slip, WITH_BOOKS)).toBe(
      'GET /api/test-slip of the plugin "slip" needs the permission "book-viwe-all", which no plugin adds; did you mean "book-view-all"?',
    );
  });

  test("that wants a table nobody makes", async () => {
    const slip = definePlugin({ name: "slip", grants: { read: ["boks" as "books"] }, setup: () => {} });
    expect(await bootError(slip, WITH_BOOKS)).toBe(
      'The plugin "slip" needs the table "boks", which no plugin creates; did you mean "books"?',
    );
  });

  test("whose route cannot be told from that of another", async () => {
    const vague = definePlugin({
      name: "vague",
      setup: ({ app }) => void app.get("/books/:name/vague", () => "", { permit: "public" }),
    });
    expect(await bootError(vague, WITH_BOOKS)).toStartWith("Cannot compile the routes of the plugins: ");
  });

  test("whose settings cannot be read, without showing texts, which may be secrets", async () => {
    const picky = definePlugin({
      name: "picky",
      settings: t.Object({
        size: t.Integer({ default: "lots" }),
        key: t.String({ minLength: 12, default: "opensesame" }),
      }),
      setup: () => {},
    });
    const message = await bootError(picky);
    expect(message).toStartWith(
      'Cannot read the settings of "picky": size: found "lots", wanted a whole number; key: ',
    );
    expect(message).not.toContain("opensesame");
  });

  test("whose migration fails, and leaves nothing of the step behind", async () => {
    const bad = definePlugin({
      name: "bad-step",
      migrations: {
        async "0001_init"(db) {
          await sql`create table test_half (id integer)`.execute(db);
          await sql`select no_such_column from test_half`.execute(db);
        },
      },
      setup: () => {},
    });
    await expect(bootTestRuntime({ extra: [bad], beside: base, only: FEW })).rejects.toThrow(
      'plugin "bad-step" at step "0001_init"',
    );
  });
});

test("boot() follows the operator's choices, and stops where they name what is not there", async () => {
  const seen: unknown[] = [];
  const told = definePlugin({
    name: "told",
    settings: t.Object({ size: t.Integer({ default: 1, env: "TOLD_SIZE" }) }),
    setup: ({ settings }) => void seen.push(settings.size),
  });
  const env = { TOLD_SIZE: "3" };
  for (const choices of [{}, { denied: { told: ["env"] as const } }, { settings: { told: { size: 2 } }, denied: {} }]) {
    const runtime = await bootTestRuntime({ extra: [told], env, choices, beside: base, only: FEW });
    await runtime.stop();
  }
  expect(seen).toEqual([3, 1, 3]);
  const slip = bootTestRuntime({ extra: [told], choices: { denied: { tolt: ["env"] } }, beside: base, only: FEW });
  await expect(slip).rejects.toThrow('"denied" names the plugin "tolt", which does not exist; did you mean "told"?');
  const thief = definePlugin({
    name: "thief",
    settings: t.Object({ url: t.String({ default: "", env: "DATABASE_URL" }) }),
    setup: () => {},
  });
  expect(await bootError(thief)).toBe(
    'The plugin "thief" reads its setting "url" from DATABASE_URL, which is a setting of Lectern',
  );
});

describe("a plugin's context", () => {
  let runtime: TestRuntime;
  const seen: string[] = [];
  const notes = definePlugin({
    name: "test-notes",
    grants: { write: ["test_notes"] },
    events: ["test_happens"],
    migrations: {
      "0001_init": async (db) =>
        void (await sql`create table test_notes (id integer generated always as identity primary key, text text not null)`.execute(
          db,
        )),
    },
    setup({ app, db, perform, on, files, fetch }) {
      on("test_happens", { notify: (result) => void seen.push(result.name) });
      app.post(
        "/test-notes",
        async ({ viewer, input }) => {
          const note = { name: String(input.text) };
          return perform("test_happens", viewer, note, async (draft, tx) => {
            await tx.db
              .insertInto("test_notes")
              .values({ text: draft.name } as never)
              .execute();
            if (draft.name === "boom") throw new Error("secret internals");
            return draft;
          });
        },
        { permit: "access-api" },
      );
      app.get("/test-notes", async () => ({ notes: await db.selectFrom("test_notes").select("text").execute() }), {
        permit: "public",
      });
      app.get(
        "/test-grants",
        async () => {
          const outcome = async (run: () => Promise<unknown>) =>
            run().then(
              () => "went through",
              (error: Error) => error.message,
            );
          return {
            table: await outcome(() =>
              (db as unknown as { selectFrom(table: string): { selectAll(): { execute(): Promise<unknown> } } })
                .selectFrom("instance")
                .selectAll()
                .execute(),
            ),
            files: await outcome(() => files.get("x")),
            net: await outcome(() => fetch("http://example.com/")),
          };
        },
        { permit: "public" },
      );
    },
  });

  beforeAll(async () => {
    runtime = await bootTestRuntime({ extra: [notes] });
  });
  afterAll(() => runtime.stop());

  test("lets nothing through that was not granted", async () => {
    const { body } = await runtime.ask("GET", "/api/test-grants", { as: null });
    expect(body.table).toContain('"instance"');
    expect(body.files).toBe('The plugin "test-notes" was not granted files');
    expect(body.net).toContain("was not granted this host");
  });

  test("rolls back an action that throws and answers 500 without its text", async () => {
    const { status, body } = await runtime.ask("POST", "/api/test-notes", { body: { text: "boom" } });
    expect([status, body]).toEqual([500, { error: { code: 500, message: "An error occurred" } }]);
    await runtime.ask("POST", "/api/test-notes", { body: { text: "kept" } });
    expect((await runtime.ask("GET", "/api/test-notes", { as: null })).body.notes).toEqual([{ text: "kept" }]);
    await runtime.runtime.bus.settle();
    expect(seen).toEqual(["kept"]);
  });
});

test("every route says what it permits, and only those with a reason are public", async () => {
  const runtime = await bootTestRuntime();
  const routes = runtime.runtime.http.routes();
  expect(routes.filter((route) => route.permit === undefined)).toEqual([]);
  // Screens check the sign-in themselves.
  const served = routes.filter(({ detail }) => detail["x-screen"] === undefined);
  const open = served.filter((route) => route.permit === "public").map((route) => `${route.method} ${route.path}`);
  expect(open.sort()).toEqual(Object.keys(PUBLIC).sort());
  await runtime.stop();
});
