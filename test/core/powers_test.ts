/** What a plugin registers without declaring it stops the boot, and so does what the operator denied. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, type AnyPlugin, definePlugin } from "lectern/core";
import type { PinnedGrants } from "../../core/runtime/pins.ts";
import { WITH_SCREENS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Jobs {
    powers_work: Record<string, never>;
  }
}

type Permissions = Partial<AnyPlugin["grants"]>;

const plugin = (permissions: Permissions, setup: (context: AnyContext) => void) =>
  definePlugin({ name: "acme", requires: ["web"], grants: permissions, setup: setup as () => void });

/** Boots that fail share its database. */
let base: TestRuntime;
beforeAll(async () => {
  base = await bootTestRuntime({ only: WITH_SCREENS });
});
afterAll(() => base.stop());

async function bootError(
  extra: AnyPlugin,
  choices?: TestRuntimeOptions["choices"],
  among: { only?: readonly string[] } = { only: WITH_SCREENS },
): Promise<string> {
  try {
    const runtime = await bootTestRuntime({ extra: [extra], beside: base, ...among, ...(choices && { choices }) });
    await runtime.stop();
    return "";
  } catch (error) {
    expect((error as Error).name).toBe("BootError");
    return (error as Error).message;
  }
}

/** What a plugin does, what the error says of it, and the line to add. */
const POWERS: readonly (readonly [keyof Permissions, (context: AnyContext) => unknown, string, string, Permissions])[] =
  [
    [
      "filters",
      ({ on }) => on("book_create", { filter: (draft) => draft }),
      'filters "book_create"',
      '["book_create"]',
      { filters: ["book_create"] },
    ],
    [
      "vetoes",
      ({ on }) => on("book_create", { veto: () => undefined }),
      'vetoes "book_create"',
      '["page_create", "book_create"]',
      { vetoes: ["page_create"] },
    ],
    [
      "handlers",
      ({ on }) => on("user_create", { notify: () => {} }),
      'handles "user_create" in "notify"',
      '["user_create"]',
      { handlers: "any" },
    ],
    [
      "handlers",
      ({ on }) => on("user_create", { beforeTransaction: () => {} }),
      'handles "user_create" in "beforeTransaction"',
      '["user_create"]',
      { handlers: ["user_create"] },
    ],
    ["handlers", ({ on }) => on.any({ notify: () => {} }), "handles every event", '"any"', { handlers: "any" }],
    ["auth", ({ auth }) => auth(() => undefined), "resolves credentials", "true", { auth: true }],
    [
      "auth",
      ({ routeScope }) => routeScope("/acme", { authenticate: () => undefined }),
      'resolves credentials in the route scope "/api/acme"',
      "true",
      { auth: true, routeScopes: ["/api/acme"] },
    ],
    [
      "routeScopes",
      ({ routeScope }) => routeScope("/acme", { outside: true }),
      'adds the route scope "/acme"',
      '["/acme"]',
      { routeScopes: ["/acme"] },
    ],
    [
      "visibilityRules",
      ({ visibilityRule }) => visibilityRule("books", () => true),
      'adds a visibility rule for "books"',
      '["books"]',
      { visibilityRules: ["books"] },
    ],
    [
      "slots",
      ({ contribute }) => contribute("dependents", { destroy: async () => {} }),
      'contributes to the slot "dependents"',
      '["dependents"]',
      { slots: ["dependents"] },
    ],
    [
      "jobs",
      ({ jobs }) => jobs.handle("powers_work", async () => {}),
      'handles the job "powers_work"',
      '["powers_work"]',
      { jobs: ["powers_work"] },
    ],
    [
      "schedules",
      ({ jobs }) => jobs.every("tidy", 1000, async () => {}),
      'adds the schedule "tidy"',
      '["tidy"]',
      { schedules: ["tidy"] },
    ],
    [
      "publicRoutes",
      ({ app }) => app.get("/acme", () => "", { permit: "public" }),
      "serves GET /api/acme to everybody",
      '["/api/acme"]',
      { publicRoutes: ["/api/*"] },
    ],
    [
      "screens",
      ({ app, contracts }) => contracts.web.form(app.site, "/acme", "public", () => new Response()),
      'serves the screen "/acme" for "public"',
      '{ "/acme": "public" }',
      { screens: { "/acme/*": "public" } },
    ],
    [
      "screens",
      ({ app, contracts }) =>
        contracts.web.screen(app.site, "/acme/:id", ["tags-manage"] as never, () => new Response()),
      'serves the screen "/acme/:id" for ["tags-manage"]',
      '{ "/acme/:id": ["tags-manage"] }',
      { screens: { "/acme/*": "user" } },
    ],
  ];

test.each(POWERS.map((row) => [row[2], row] as const))(
  "a plugin that %s stops the boot unless it declares that, and where the operator denied it",
  async (_, [kind, use, what, line, declared]) => {
    const partly = kind === "vetoes" ? declared : kind === "auth" ? { routeScopes: "any" as const } : {};
    expect(await bootError(plugin(partly, use))).toBe(
      `The plugin "acme" ${what}, which it does not declare; add to its grants: ${kind}: ${line}`,
    );
    const enough = kind === "vetoes" ? { vetoes: ["page_create", "book_create"] as const } : declared;
    expect(await bootError(plugin(enough, use), { denied: { acme: [kind] } })).toBe(
      `The plugin "acme" ${what}, which the operator refused: "denied" in package.json names "${kind}"`,
    );
  },
);

test("an event of others is performed by a declared power alone", async () => {
  const said: string[] = [];
  const performer = (permissions: Permissions) =>
    plugin({ ...permissions, impersonate: true }, ({ app, perform }) =>
      app.get(
        "/acme",
        async ({ viewer }) => {
          const note = (error: Error) => void said.push(`${error.name}: ${error.message}`);
          await perform(
            "migrate_item",
            viewer,
            {} as never,
            (async () => {
              said.push("performed");
              return { outcome: "unchanged" };
            }) as never,
          ).catch(note);
          return {};
        },
        { permit: "access-api" },
      ),
    );
  for (const permissions of [{}, { performs: ["migrate_item"] as const }]) {
    const runtime = await bootTestRuntime({ extra: [performer(permissions)], beside: base });
    await runtime.ask("GET", "/api/acme");
    await runtime.stop();
  }
  expect(said).toEqual([
    'PowerError: The plugin "acme" performs "migrate_item", which it does not declare; add to its grants: performs: ["migrate_item"], or to "events" of the plugin if the event is its own',
    "performed",
  ]);
  expect(await bootError({ ...performer({}), events: ["migrate_item"] }, undefined, {})).toBe(
    'The plugin "acme" lists "migrate_item" in "events", which is an event of "migrate"; to perform it, add to its grants: performs: ["migrate_item"]',
  );
});

test.each(["book_move", "bookshelf_move", "user_move"])(
  "a plugin lists no event %s, which others would take for one of Lectern",
  async (event) => {
    expect(await bootError({ ...plugin({}, () => {}), events: [event as never] }, undefined, {})).toStartWith(
      `The plugin "acme" lists "${event}" in "events", which has the form of an event of "`,
    );
  },
);

test("events of a verb or a kind of the plugin's own may be about books", async () => {
  expect(
    await bootError({ ...plugin({}, () => {}), events: ["book_freeze", "acme_move"] as never[] }, undefined, {}),
  ).toBe("");
});

test("a plugin that declares all it registers boots, whatever the operator denies that it does not use", async () => {
  const declared: Permissions = Object.assign({}, ...POWERS.map((row) => row[4]));
  const all = {
    ...declared,
    vetoes: ["book_create"],
    handlers: "any",
    routeScopes: "any",
    screens: { "/acme/*": "public" },
  } as const;
  const everything = plugin(all, (context) => {
    const seen = new Set<unknown>();
    for (const [kind, use, what] of POWERS) {
      if (what !== 'serves the screen "/acme/:id" for ["tags-manage"]') use(context);
      seen.add(kind);
    }
  });
  expect(await bootError(everything, { denied: { acme: ["system", "files"] } })).toBe("");
});

test.each([
  [{ screens: { "/acme": "user" } }, "public"],
  [{ screens: { "/acme": ["tags-manage"] } }, "user"],
  [{ screens: { "/acm": "public", "/acme/below": "public" } }, "user"],
] as const)("a screen permits no more than %j declares", async (permissions, permit) => {
  const shows = plugin(permissions as Permissions, ({ app, contracts }) =>
    contracts.web.screen(app.site, "/acme", permit, () => new Response()),
  );
  expect(await bootError(shows)).toContain(`serves the screen "/acme" for "${permit}", which it does not declare`);
});

test.each([
  [{ filter: ["book_create"] }, 'names the kind of grant "filter", which does not exist; did you mean "filters"?'],
  [{ filters: "book_create" }, 'has another value for "filters" than a list of names, or "any"'],
  [{ system: "yes" }, 'has another value for "system" than true or false'],
  [{ read: "any" }, 'has another value for "read" than a list of names'],
])("misspelt permissions are named: %j", async (permissions, wanted) => {
  expect(await bootError(plugin(permissions as Permissions, () => {}))).toBe(`"grants" of the plugin "acme" ${wanted}`);
});

test("a pinned plugin that asks for more stops the boot with the difference, one that asks for less boots", async () => {
  const grown = plugin({ read: ["books"], filters: ["book_create"], system: true }, () => {});
  const accepting = (grants: object): TestRuntimeOptions["choices"] => ({
    grants: { version: 1, plugins: { acme: grants } } as PinnedGrants,
  });
  expect(await bootError(grown, accepting({ read: ["books", "users"] }))).toBe(
    'The plugin "acme" declares more than "grants" of package.json accepts:\n  + system\n  + filters: book_create\nTo accept it: bun core/cli.ts grants accept acme',
  );
  expect(await bootError(grown, accepting({ read: ["books", "users"], filters: "any", system: true }))).toBe("");
});
