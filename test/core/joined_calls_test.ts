/** Routes that a plugin calls within the transaction of an event, `tx.callAs`: what they read and write is a part of it. */
import { afterAll, beforeAll, beforeEach, expect, type Mock, setDefaultTimeout, spyOn, test } from "bun:test";
import { ApiError, definePlugin, type EventTransaction, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { WITH_PAGES } from "../support/harness/few_plugins.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

declare module "lectern/core" {
  interface Events {
    reviewer_act: { draft: Record<string, never>; result: Record<string, never> };
  }
}

interface Called {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** What the handlers of the plugin do; each test sets its own. */
interface Script {
  /** Within the transaction of a page that is created. */
  created?(page: { readonly id: number }, tx: EventTransaction): Promise<void>;
  /** Within that of a page that is changed. */
  updated?(page: { readonly id: number }, tx: EventTransaction): Promise<void>;
  /** The failure of a route or an action of the plugin, if one is left. */
  failure?: Error | undefined;
  /** Within that of a comment that is created. */
  commented?(tx: EventTransaction): Promise<void> | void;
}

let script: Script = {};
/** What the plugin heard after commits. */
const heard: string[] = [];
const held = Promise.withResolvers<never>();

async function calledBy(tx: EventTransaction, method: string, path: string, input = {}): Promise<Called> {
  const answer = await tx.callAs(tx.viewer, method, path, { input });
  // The routes here answer with objects.
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const comment = (tx: EventTransaction, page: { readonly id: number }, html = "<p>Who reviews this?</p>") =>
  calledBy(tx, "POST", "/api/comments", { page_id: page.id, html });

const reviewer = definePlugin({
  name: "reviewer",
  requires: ["telemetry"],
  events: ["reviewer_act"],
  grants: { read: ["pages", "comments"], impersonate: ["POST /api/comments", "POST /api/reviewer/:act"] },
  setup({ app, cache, db, on, perform, pools }) {
    const nameOf = cache.values("names", async (id) => {
      const found = await db.selectFrom("pages").select("name").where("id", "=", Number(id)).executeTakeFirst();
      return found?.name;
    });
    app.get("/reviewer/cached/:id", async ({ params }) => ({ name: await nameOf.get(params.id) }), {
      permit: "public",
    });
    on("page_create", {
      inTransaction: (page, tx) => script.created?.(page, tx),
      notify: () => void heard.push("page_create"),
    });
    on("page_update", { inTransaction: (page, tx) => script.updated?.(page, tx) });
    on("comment_create", {
      inTransaction: (_, tx) => script.commented?.(tx),
      notify: () => void heard.push("comment_create"),
    });
    const names = () => db.selectFrom("pages").select("name").orderBy("id").execute();
    app.get(
      "/reviewer/names",
      async ({ viewer }) => ({
        pool: await names(),
        slow: await pools.slow({ viewer, limitMs: 60_000 }, names),
        transaction: await db
          .transaction()
          .execute((tx) => tx.selectFrom("pages").select("name").orderBy("id").execute()),
      }),
      { permit: "public" },
    );
    // The plugin has no grant for users.
    app.get("/reviewer/users", async () => rows(db, sql`select id from users`), { permit: "public" });
    const failOnce = () => {
      const { failure } = script;
      delete script.failure;
      if (failure) throw failure;
      return {};
    };
    app.post("/reviewer/fail", async () => failOnce(), { permit: "public" });
    // Goes on after its event has failed.
    app.post(
      "/reviewer/swallow",
      async ({ viewer }) => perform("reviewer_act", viewer, {}, async () => failOnce()).catch(() => ({})),
      { permit: "public" },
    );
    app.get("/reviewer/held", () => held.promise, { permit: "public" });
  },
});

let runtime: TestRuntime;
let book = 0;
let logged: Mock<typeof process.stderr.write>;
beforeAll(async () => {
  logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  runtime = await bootTestRuntime({
    only: [...WITH_PAGES, "comments"],
    extra: [reviewer],
    env: { LOG_LEVEL: "warn" },
    constants: { core: { partTimeoutMs: scaled(500) } },
  });
  await runtime.runtime.start();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body.id;
});
beforeEach(() => {
  script = {};
});
afterAll(async () => {
  await runtime.stop();
  logged.mockRestore();
});

async function create(name: string, as?: string) {
  const body = { book_id: book, name, html: "<p>Call the DBA.</p>" };
  const answer = await runtime.ask("POST", "/api/pages", { body, ...(as && { as }) });
  await runtime.runtime.bus.settle();
  return answer;
}

async function pagesNamed(name: string) {
  return (await rows(runtime.db, sql`select id from pages where name = ${name}`)).length;
}

async function commentsOf(name: string) {
  const of = sql`select c.id from comments c join pages p on p.id = c.page_id where p.name = ${name}`;
  return (await rows(runtime.db, of)).length;
}

test("a called route reads what is not committed, and what it writes is committed with it", async () => {
  heard.length = 0;
  let seen: Called | undefined;
  let before: number | undefined;
  script.created = async (page, tx) => {
    expect((await comment(tx, page)).status).toBe(200);
    const asSystem = tx.callAs(SYSTEM, "GET", "/api/pages");
    await expect(asSystem).rejects.toThrow("acts as SYSTEM, which it does not declare");
    seen = await calledBy(tx, "GET", `/api/pages/${page.id}`);
    before = await pagesNamed("Failover");
    expect(heard).toEqual([]);
  };
  const { status, body } = await create("Failover");
  expect(status).toBe(200);
  expect(seen).toMatchObject({ status: 200, body: { id: body.id, name: "Failover" } });
  expect(JSON.stringify(seen?.body.comments)).toContain("Who reviews this?");
  expect(before).toBe(0);
  expect(await commentsOf("Failover")).toBe(1);
  expect(heard.sort()).toEqual(["comment_create", "page_create"]);
});

test("an error afterwards rolls back what the route wrote, and nobody hears of it", async () => {
  heard.length = 0;
  const undone: string[] = [];
  script.commented = (tx) => {
    tx.onRollback(() => undone.push("comment"));
    tx.afterCommit(() => undone.push("after commit"));
  };
  script.created = async (page, tx) => {
    tx.onRollback(() => undone.push("page"));
    expect((await comment(tx, page)).status).toBe(200);
    expect((await calledBy(tx, "GET", `/api/pages/${page.id}`)).body.name).toBe("Rolled back");
    throw new ApiError(422, "Not today");
  };
  expect((await create("Rolled back")).status).toBe(422);
  expect([await pagesNamed("Rolled back"), heard, undone]).toEqual([0, [], ["comment", "page"]]);
  const { body } = await runtime.ask("GET", "/api/comments");
  expect(JSON.stringify(body)).not.toContain("Rolled back");
});

test("a refusal is answered and leaves nothing of the call behind; the transaction goes on", async () => {
  const { token } = await runtime.person("quiet", ["access-api", "page-create-all", "page-view-all", "book-view-all"]);
  let refused: Called | undefined;
  script.created = async (page, tx) => {
    refused = await comment(tx, page);
    expect((await calledBy(tx, "GET", `/api/pages/${page.id}`)).status).toBe(200);
  };
  expect((await create("Quiet", token)).status).toBe(200);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 403 } } });
  expect([await pagesNamed("Quiet"), await commentsOf("Quiet")]).toEqual([1, 0]);
});

test("a change of the route that fails half-way is undone alone, with its steps", async () => {
  heard.length = 0;
  const undone: string[] = [];
  const statuses: number[] = [];
  script.commented = (tx) => {
    tx.onRollback(() => undone.push("undone"));
    tx.afterCommit(() => undone.push("after commit"));
    throw new ApiError(409, "No comments now");
  };
  script.created = async (page, tx) => {
    statuses.push((await comment(tx, page)).status);
    expect(undone).toEqual(["undone"]);
    delete script.commented;
    statuses.push((await comment(tx, page, "<p>Once more</p>")).status);
  };
  expect((await create("Half")).status).toBe(200);
  expect([statuses, undone, await commentsOf("Half")]).toEqual([[409, 200], ["undone"], 1]);
  expect(heard.sort()).toEqual(["comment_create", "page_create"]);
});

test("after a serialisation failure within the route the whole transaction is repeated", async () => {
  let attempts = 0;
  script.commented = async () => {
    attempts += 1;
    if (attempts === 1) throw Object.assign(new Error("could not serialize access"), { code: "40001" });
  };
  script.created = async (page, tx) => {
    expect((await comment(tx, page)).status).toBe(200);
  };
  expect((await create("Repeated")).status).toBe(200);
  expect([attempts, await pagesNamed("Repeated"), await commentsOf("Repeated")]).toEqual([2, 1, 1]);
});

test("so it is where the route answers such a failure itself, or none at all", async () => {
  for (const route of ["fail", "swallow"]) {
    let attempts = 0;
    script.failure = Object.assign(new Error("deadlock detected"), { code: "40P01" });
    script.created = async (page, tx) => {
      attempts += 1;
      expect((await calledBy(tx, "POST", `/api/reviewer/${route}`)).status).toBe(200);
      expect((await comment(tx, page)).status).toBe(200);
    };
    expect((await create(route)).status).toBe(200);
    expect([attempts, await commentsOf(route)]).toEqual([2, 1]);
  }
});

test("a route that answers as if its change had not failed ends the transaction", async () => {
  script.failure = new Error("No");
  script.created = async (page, tx) => {
    expect((await comment(tx, page)).status).toBe(200);
    await calledBy(tx, "POST", "/api/reviewer/swallow");
  };
  expect((await create("Swallowed")).status).toBe(500);
  expect(await pagesNamed("Swallowed")).toBe(0);
  expect(logged.mock.calls.join()).toContain("it went on after a change of it had failed");
});

test("caches neither answer within the transaction nor keep what it read", async () => {
  const { body: page } = await create("Old name");
  const read = async () => [
    (await runtime.ask("GET", `/api/pages/${page.id}`)).body.name,
    (await runtime.ask("GET", `/api/reviewer/cached/${page.id}`)).body.name,
  ];
  expect(await read()).toEqual(["Old name", "Old name"]);
  const answerCache = () => runtime.contexts.get("reviewer")?.contracts.telemetry.answerCache();
  let within: unknown;
  script.updated = async ({ id }, tx) => {
    const { hits, misses, entries } = answerCache() ?? {};
    within = [
      (await calledBy(tx, "GET", `/api/pages/${id}`)).body.name,
      (await calledBy(tx, "GET", `/api/reviewer/cached/${id}`)).body.name,
    ];
    expect(answerCache()).toMatchObject({ hits, misses, entries });
    throw new ApiError(422, "Not today");
  };
  const { status } = await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { name: "New name" } });
  expect([status, within, await read()]).toEqual([422, ["New name", "New name"], ["Old name", "Old name"]]);
});

test("statements of the plugin's role, slow reads and transactions of the route are part of it, and its grants hold", async () => {
  let names: Called | undefined;
  let users: Called | undefined;
  script.created = async (_, tx) => {
    users = await calledBy(tx, "GET", "/api/reviewer/users");
    names = await calledBy(tx, "GET", "/api/reviewer/names");
  };
  expect((await create("Granted")).status).toBe(200);
  expect(users?.status).toBe(500);
  const last = (list: unknown) => (list as { name: string }[]).at(-1)?.name;
  const { pool, slow, transaction } = names?.body ?? {};
  expect([pool, slow, transaction].map(last)).toEqual(["Granted", "Granted", "Granted"]);
});

test("a route that does not end is given up with the handler that called it", async () => {
  script.created = async (_, tx) => void (await calledBy(tx, "GET", "/api/reviewer/held"));
  const { status } = await create("Held");
  expect([status, await pagesNamed("Held")]).toEqual([503, 0]);
  // Its connection is free again.
  script = {};
  expect((await create("After")).status).toBe(200);
});
