/** What a plugin registers beyond what the operator accepted stops the boot, and so does what the operator denied. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, type AnyPlugin, definePlugin, type Recorded } from "lectern/core";
import type { PinnedGrants } from "../../core/runtime/pins.ts";
import { WITH_SCREENS } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime, type TestRuntimeOptions } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Jobs {
    powers_work: Record<string, never>;
  }
}

type Grants = AnyPlugin["grants"];

const plugin = (grants: Grants, setup: (context: AnyContext) => unknown) =>
  definePlugin({
    name: "acme",
    requires: ["web"],
    permissions: ["tags-manage" as never],
    grants,
    setup: setup as () => void,
  });

/** The choices of an operator who accepted this of the plugin. */
const accepting = (pin: object): TestRuntimeOptions["choices"] => ({
  grants: { version: 1, plugins: { acme: pin } } as PinnedGrants,
});
const beyond = (...lines: string[]) =>
  [
    'The plugin "acme" wants more than "grants" of package.json accepts:',
    ...lines,
    "To accept it: bun core/cli.ts grants accept acme",
  ].join("\n");

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

/** What a plugin does, what the error says of it when it is denied, what is recorded, and what was accepted that is enough. */
const REGISTERED: readonly (readonly [keyof Recorded, (context: AnyContext) => unknown, string, string, Recorded])[] = [
  [
    "filters",
    ({ on }) => on("book_create", { filter: (draft) => draft }),
    'filters "book_create"',
    "book_create",
    { filters: ["book_create", "page_create"] },
  ],
  [
    "vetoes",
    ({ on }) => on("book_create", { veto: () => undefined }),
    'vetoes "book_create"',
    "book_create",
    { vetoes: "any" },
  ],
  [
    "handlers",
    ({ on }) => on("user_create", { notify: () => {} }),
    'handles "user_create" in "notify"',
    "user_create",
    { handlers: "any" },
  ],
  [
    "handlers",
    ({ on }) => on("user_create", { beforeTransaction: () => {} }),
    'handles "user_create" in "beforeTransaction"',
    "user_create",
    { handlers: ["user_create"] },
  ],
  ["handlers", ({ on }) => on.any({ notify: () => {} }), "handles every event", "any", { handlers: "any" }],
  [
    "routeScopes",
    ({ routeScope }) => routeScope("/acme", { outside: true }),
    'adds the route scope "/acme"',
    "/acme",
    { routeScopes: ["/acme"] },
  ],
  [
    "visibilityRules",
    ({ visibilityRule }) => visibilityRule("books", () => true),
    'adds a visibility rule for "books"',
    "books",
    { visibilityRules: ["books"] },
  ],
  [
    "slots",
    ({ contribute }) => contribute("dependents", { destroy: async () => {} }),
    'contributes to the slot "dependents"',
    "dependents",
    { slots: ["dependents"] },
  ],
  [
    "jobs",
    ({ jobs }) => jobs.handle("powers_work", async () => {}),
    'handles the job "powers_work"',
    "powers_work",
    { jobs: ["powers_work"] },
  ],
  [
    "schedules",
    ({ jobs }) => jobs.every("tidy", 1000, async () => {}),
    'adds the schedule "tidy"',
    "tidy",
    { schedules: ["tidy"] },
  ],
  [
    "publicRoutes",
    ({ app }) => app.get("/acme", () => "", { permit: "public" }),
    "serves GET /api/acme to everybody",
    "/api/acme",
    { publicRoutes: ["/api/*"] },
  ],
  [
    "screens",
    ({ contracts, app }) => contracts.web.form(app.site, "/acme", "public", () => new Response()),
    'serves the screen "/acme" for "public"',
    "/acme (public)",
    { screens: { "/acme/*": "public" } },
  ],
  [
    "screens",
    ({ contracts, app }) => contracts.web.screen(app.site, "/acme/:id", ["tags-manage"] as never, () => new Response()),
    'serves the screen "/acme/:id" for ["tags-manage"]',
    "/acme/:id (tags-manage)",
    { screens: { "/acme/*": "user" } },
  ],
];

test.each(REGISTERED.map((row) => [row[2], row] as const))(
  "a plugin that %s stops the boot where less was accepted, and where the operator denied it, also if it catches the error",
  async (_, [kind, use, what, name, enough]) => {
    const caught = plugin({}, (context) => {
      try {
        use(context);
      } catch {
        // The boot stops all the same.
      }
    });
    expect(await bootError(plugin({}, use), accepting({}))).toBe(beyond(`  + ${kind}: ${name}`));
    expect(await bootError(caught, accepting({ [kind]: kind === "screens" ? { "/other": "user" } : ["other"] }))).toBe(
      beyond(`  + ${kind}: ${name}`),
    );
    expect(await bootError(plugin({}, use), { denied: { acme: [kind] } })).toBe(
      `The plugin "acme" ${what}, which the operator refused: "denied" in package.json names "${kind}"`,
    );
    expect(await bootError(caught, { denied: { acme: [kind] } })).toEndWith(
      `, which the operator refused: "denied" in package.json names "${kind}"`,
    );
    expect(await bootError(plugin({}, use), accepting(enough))).toBe("");
  },
);

test.each<[string, (context: AnyContext) => unknown]>([
  ["resolves credentials", ({ auth }) => auth(() => undefined)],
  [
    'resolves credentials in the route scope "/api/acme"',
    ({ routeScope }) => routeScope("/acme", { authenticate: () => undefined }),
  ],
])("a plugin that %s declares that", async (what, use) => {
  expect(await bootError(plugin({}, use))).toBe(
    `The plugin "acme" ${what}, which it does not declare; add to its grants: auth: true`,
  );
  expect(await bootError(plugin({ auth: true }, use), { denied: { acme: ["auth"] } })).toBe(
    `The plugin "acme" ${what}, which the operator refused: "denied" in package.json names "auth"`,
  );
});

test("a plugin names nothing that would be accepted as all of a kind", async () => {
  const named = plugin({}, ({ jobs }) => jobs.every("any", 1000, async () => {}));
  expect(await bootError(named)).toBe(
    'The plugin "acme" adds the schedule "any": "any" is no name, as it stands for all names',
  );
});

test("what is registered after the setup is compared too", async () => {
  const late = plugin({}, ({ contribute, on }) =>
    on("app_boot", { inTransaction: async () => contribute("dependents", { destroy: async () => {} }) }),
  );
  expect(await bootError(late, accepting({}))).toContain("+ slots: dependents");
  expect(await bootError(late, accepting({ slots: ["dependents"] }))).toBe("");
});

test("what a plugin registers is recorded and shown, without a declaration", async () => {
  const everything = plugin({}, (context) => {
    for (const [, use] of REGISTERED) use(context);
    context.slot("screen_head");
  });
  const runtime = await bootTestRuntime({ extra: [everything], beside: base, only: WITH_SCREENS });
  const booted = runtime.runtime.booted.find(({ plugin: { name } }) => name === "acme");
  await runtime.stop();
  expect(booted?.recorded).toEqual({
    routeScopes: ["/acme"],
    visibilityRules: ["books"],
    handlers: "any",
    filters: ["book_create"],
    vetoes: ["book_create"],
    slots: ["dependents"],
    slotsRead: ["screen_head"],
    jobs: ["powers_work"],
    schedules: ["tidy"],
    publicRoutes: ["/api/acme"],
    screens: { "/acme": "public", "/acme/:id": ["tags-manage"] as never },
  });
});

test("an event of others is performed by a plugin that lists it, which has to be accepted", async () => {
  const said: string[] = [];
  const performer = plugin({ impersonate: true }, ({ app, perform }) =>
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
  const listing = { ...performer, events: ["migrate_item" as const] };
  for (const one of [performer, listing]) {
    const runtime = await bootTestRuntime({ extra: [one], beside: base });
    await runtime.ask("GET", "/api/acme");
    await runtime.stop();
  }
  expect(said).toEqual([
    'PowerError: The plugin "acme" performs "migrate_item", which it does not list; add to it: events: ["migrate_item"]',
    "performed",
  ]);
  const pin = { impersonate: true };
  expect(await bootError(listing, accepting(pin), {})).toBe(beyond("  + performs: migrate_item"));
  expect(await bootError(listing, { denied: { acme: ["performs"] } }, {})).toEndWith('names "performs"');
  expect(await bootError(listing, accepting({ ...pin, performs: "any" }), {})).toBe("");
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

test.each([
  [{ screens: { "/acme": "user" } }, "public"],
  [{ screens: { "/acme": ["tags-manage"] } }, "user"],
  [{ screens: { "/acm": "public", "/acme/below": "public" } }, "user"],
] as const)("a screen admits no more than %j accepts", async (pin, admits) => {
  const shows = plugin({}, ({ contracts, app }) =>
    contracts.web.screen(app.site, "/acme", admits, () => new Response()),
  );
  expect(await bootError(shows, accepting(pin))).toBe(beyond(`  + screens: /acme (${admits})`));
});

test("a plugin reads the slots that were accepted, and any where none are named", async () => {
  const read: string[] = [];
  const reader = plugin({}, ({ slot, on }) =>
    on("app_boot", {
      notify() {
        for (const name of ["content", "screen_head"] as const)
          try {
            slot(name);
            read.push(name);
          } catch (error) {
            read.push(String(error));
          }
      },
    }),
  );
  const outcomes = async (choices?: TestRuntimeOptions["choices"]) => {
    expect(await bootError(reader, choices)).toBe("");
    return read.splice(0);
  };
  const refused = 'PowerError: The plugin "acme" reads the slot "screen_head", which ';
  expect(await outcomes()).toEqual(["content", "screen_head"]);
  expect(await outcomes(accepting({}))).toEqual(["content", "screen_head"]);
  expect(await outcomes(accepting({ slotsRead: "any" }))).toEqual(["content", "screen_head"]);
  expect(await outcomes(accepting({ slotsRead: ["content"] }))).toEqual([
    "content",
    `${refused}"slotsRead" in "grants" of package.json does not name`,
  ]);
  expect((await outcomes({ denied: { acme: ["slotsRead"] } }))[1]).toStartWith(`${refused}the operator refused`);
});

test.each([
  [{ reads: ["books"] }, 'names the kind of grant "reads", which does not exist; did you mean "read"?'],
  [{ system: "yes" }, 'has another value for "system" than true or false'],
  [{ read: "any" }, 'has another value for "read" than a list of names'],
  [
    { read: ["books"], visibilityRules: ["books"] },
    'declares "visibilityRules", which is recorded from what "setup" registers; leave out the line visibilityRules: ["books"]',
  ],
  [
    { screens: { "/acme": "user" } },
    'declares "screens", which is recorded from what "setup" registers; leave out the line screens: { "/acme": "user" }',
  ],
  [
    { performs: ["page_move"] },
    'declares "performs"; leave out the line performs: ["page_move"], and add the names to "events" of the plugin',
  ],
])("misspelt grants, and those that are recorded now, are named: %j", async (grants, wanted) => {
  expect(await bootError(plugin(grants as Grants, () => {}))).toBe(`"grants" of the plugin "acme" ${wanted}`);
});

test("a pinned plugin that asks for more stops the boot with the difference, one that asks for less boots", async () => {
  const grown = plugin({ read: ["books"], files: true, system: true }, () => {});
  expect(await bootError(grown, accepting({ read: ["books", "users"] }))).toBe(beyond("  + files", "  + system"));
  expect(await bootError(grown, accepting({ read: ["books", "users"], files: true, system: true, slots: "any" }))).toBe(
    "",
  );
});
