import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { Type as t } from "@sinclair/typebox";
import { sql } from "kysely";
import { BootError } from "../errors.ts";
import { beyondPin, checkPins, declaredGrants, gonePins, type Pin, type PinnedGrants, pinFor } from "./pins.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import { definePlugin } from "./plugin.ts";
import type { Recorded } from "./recorded.ts";

const kudos = definePlugin({
  name: "acme-kudos",
  grants: {
    read: ["users", "books"],
    write: ["jobs"],
    net: ["api.example.com"],
    files: true,
    impersonate: false,
  },
  settings: t.Object({ most: t.Integer({ default: 1, env: "KUDOS_MOST" }) }),
  setup() {},
});
const other = definePlugin({ name: "notes", setup() {} });
const REGISTERED: Recorded = {
  handlers: ["page_create"],
  publicRoutes: ["/kudos/feed"],
  screens: { "/kudos/*": "user", "/kudos/wall": "public" },
};
const PIN: Pin = { ...declaredGrants(kudos), ...REGISTERED };

const pins = (plugins: unknown): PinnedGrants => ({ version: 1, plugins: plugins as PinnedGrants["plugins"] });

function refusal(grants: unknown, denied = {}): string {
  try {
    checkPins([kudos, other], { grants: grants as PinnedGrants, denied });
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(BootError);
    return (error as Error).message.replace('Cannot use the "lectern" block of package.json: ', "… ");
  }
}

test("rights on the store's schema are accepted by themselves", () => {
  const builder = definePlugin({ name: "builder", grants: { write: ["jobs"], schema: true }, setup() {} });
  expect(beyondPin(builder, { write: ["jobs"] }, {})).toEqual(["+ schema"]);
  expect(beyondPin(builder, { write: ["jobs"] }, {}, ["schema"])).toEqual([]);
  expect(beyondPin(builder, declaredGrants(builder), {})).toEqual([]);
});

test("columns beyond those that were accepted are named, unless the table may be read", () => {
  const finder = definePlugin({
    name: "finder",
    grants: { columns: { users: ["id", "email"], books: ["id"] } as never, net: ["setting:address"] },
    setup() {},
  });
  const accepted = (grants: object) => beyondPin(finder, grants as Grants, {});
  expect(accepted(declaredGrants(finder))).toEqual([]);
  expect(accepted({ columns: { users: ["id"] } })).toEqual([
    "+ columns: users(email), books(id)",
    "+ net: setting:address",
  ]);
  expect(accepted({ read: ["users"], write: ["books"], net: ["setting:address"] })).toEqual([]);
});

test("a pin has what a plugin declares and registers and the variables of its settings, sorted, without what it lacks", () => {
  expect(PIN).toEqual({
    read: ["books", "users"],
    write: ["jobs"],
    net: ["api.example.com"],
    env: ["KUDOS_MOST"],
    files: true,
    handlers: ["page_create"],
    publicRoutes: ["/kudos/feed"],
    screens: { "/kudos/*": "user", "/kudos/wall": "public" },
  });
  expect(JSON.parse(JSON.stringify(PIN))).toEqual(PIN);
});

test.each([
  [{}, []],
  [{ read: ["books"] }, ["+ read: users"]],
  [{ read: ["books"], write: ["jobs", "users"] }, []],
  [{ write: undefined }, ["+ write: jobs"]],
  [{ net: ["*.example.com"] }, []],
  [{ net: ["example.com"] }, ["+ net: api.example.com"]],
  [{ net: "any" }, []],
  [{ env: [] }, ["+ env: KUDOS_MOST"]],
  [{ files: false }, ["+ files"]],
  [{ handlers: "any" }, []],
  [{ handlers: [], files: undefined }, ["+ files", "+ handlers: page_create"]],
  [{ publicRoutes: ["/kudos/*"] }, []],
  [{ screens: { "/kudos/*": "user" } }, ["+ screens: /kudos/wall (public)"]],
  [{ screens: { "/kudos/*": "anyone" } }, []],
  [{ screens: { "/kudos/wall": "anyone", "/kudos/*": ["users-manage"] } }, ["+ screens: /kudos/* (user)"]],
  [{ screens: "any" }, []],
])("beyond a pin with %j is %j", (change, wanted) => {
  expect(beyondPin(kudos, { ...PIN, ...change } as Pin, REGISTERED)).toEqual(wanted);
});

test("any is more than a list", () => {
  const greedy = definePlugin({ name: "greedy", grants: { net: "any" }, setup() {} });
  const accepted = { net: ["a.example"], handlers: ["book_create"] };
  expect(beyondPin(greedy, accepted, { handlers: "any" })).toEqual(["+ net: any", "+ handlers: any"]);
});

test.each([
  [pins({ "acme-kudos": PIN }), ""],
  [pins({}), ""],
  [pins({ "long-gone": { read: ["books"] } }), ""],
  [
    pins({ "acme-kudos": { ...PIN, read: ["books"], files: false } }),
    'The plugin "acme-kudos" wants more than "grants" of package.json accepts:\n  + read: users\n  + files\nTo accept it: bun core/cli.ts grants accept acme-kudos',
  ],
  [
    pins({ "acme-kudo": {} }),
    '… "grants" names the plugin "acme-kudo", which does not exist; did you mean "acme-kudos"?',
  ],
  [
    pins({ notes: { reed: ["books"] } }),
    '… "grants" of "notes" names the kind of grant "reed", which does not exist; did you mean "read"?',
  ],
  [pins({ notes: { read: "books" } }), '… "grants" of "notes" has another value for "read" than a list of names'],
  [pins({ notes: { screens: { "/": 7 } } }), expect.stringContaining('has another value for "screens" than an object')],
  [pins({ notes: [] }), '… "grants" of "notes" is no object'],
  [pins([]), '… "plugins" of "grants" is no object'],
  [{ version: 3, plugins: {} }, '… "grants" has the version 3; this Lectern reads 1 and 2'],
  [{ plugins: {} }, '… "grants" has the version undefined; this Lectern reads 1 and 2'],
  [{ version: 1, plugin: {} }, '… "grants" names the key "plugin", which does not exist; did you mean "plugins"?'],
  ["all", '… "grants" is no object'],
])("checkPins() of %j says %j", (grants, wanted) => {
  expect(refusal(grants)).toEqual(wanted);
});

test("what the operator denied anyway needs no acceptance, and a plugin that is gone is known", () => {
  const grants = pins({ "acme-kudos": { ...PIN, files: false }, "long-gone": {} });
  expect(refusal(grants, { "acme-kudos": ["files"] })).toBe("");
  expect(gonePins(grants, [kudos])).toEqual(["long-gone"]);
});

test("a plugin without a pin stops the boot where it comes with a pinned one, or in place of one", () => {
  const greedy = definePlugin({ name: "greedy", grants: { system: true }, setup() {} });
  const shipped = [definePlugin({ name: "themes", setup() {} })];
  const first = { ...kudos, listFile: "/srv/acme.ts" };
  const refusalOf = (plugins: readonly AnyPlugin[], names: readonly string[]) => {
    try {
      const accepted = pins(Object.fromEntries(names.map((name) => [name, PIN])));
      checkPins([...shipped, ...plugins], { grants: accepted, shipped });
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const accept = "\nTo accept it: bun core/cli.ts grants accept greedy";
  const unaccepted = 'The grants of the plugin "greedy" are not accepted in package.json';
  expect(refusalOf([first, greedy], ["acme-kudos"])).toBe("");
  for (const added of [
    { ...greedy, listFile: "/srv/acme.ts" },
    { ...greedy, addedBy: "acme-kudos" },
  ])
    expect(refusalOf([first, added], ["acme-kudos"])).toBe(
      `${unaccepted}, and it comes with "acme-kudos", whose grants are${accept}`,
    );
  expect(refusalOf([greedy], ["acme-kudos"])).toBe(
    `${unaccepted}, and those of "acme-kudos" are, which is not loaded: a renamed plugin has to be accepted again${accept}`,
  );
  expect(refusalOf([{ ...greedy, addedBy: "themes" }], ["acme-kudos"])).toBe("");
  expect(refusalOf([first, { ...greedy, listFile: "/srv/acme.ts" }], ["acme-kudos", "greedy"])).toContain("+ system");
});

/** A plugin that declares more than grants. */
const poll = (change: object = {}) =>
  definePlugin({
    name: "acme-poll",
    requires: ["users" as never],
    uses: ["mail" as never],
    events: ["poll_begin" as never],
    permissions: ["poll-begin" as never],
    commands: { poll: { summary: "", usage: "", run: async () => 0 } as never },
    migrations: { "0001_init": async () => {} },
    setup() {},
    ...change,
  });

test("a pin compares contracts, events, permissions, commands and migrations too", () => {
  const pin = pinFor(poll(), {});
  expect(pin).toEqual({
    slotsRead: "any",
    writes: [],
    contracts: ["mail", "users"],
    provides: [],
    events: ["poll_begin"],
    adds: ["poll-begin"],
    commands: ["poll"],
    hosts: [],
    syncSchema: [],
    migrations: { "0001_init": expect.stringMatching(/^[0-9a-f]{16}$/) },
  });
  const beyond = (change: object) => beyondPin(poll(change), JSON.parse(JSON.stringify(pin)) as Pin, {});
  expect(beyond({})).toEqual([]);
  expect(beyond({ requires: [], uses: ["users", "mail"], commands: {} })).toEqual([]);
  expect(beyond({ uses: ["mail", "sessions"], provides: ["users"] })).toEqual([
    "+ contracts: sessions",
    "+ provides: users",
  ]);
  expect(beyond({ events: ["poll_begin", "poll_end"], permissions: ["poll-begin", "poll-end"] })).toEqual([
    "+ events: poll_end",
    "+ adds: poll-end",
  ]);
  expect(beyond({ commands: { poll: {}, vote: {} } })).toEqual(["+ commands: vote"]);
  const second = async () => void "second";
  expect(beyond({ migrations: { "0001_init": second, "0002_more": second } })).toEqual([
    "+ migrations: 0001_init (changed), 0002_more",
  ]);
});

test("a pin notices a host that a default grants and another syncSchema, and one of an earlier version does not compare them", () => {
  const calling = (host: string, syncSchema?: () => Promise<void>) =>
    poll({
      grants: { net: ["setting:address"] },
      settings: t.Object({ address: t.String({ default: host }) }),
      ...(syncSchema && { syncSchema }),
    });
  const pin = pinFor(calling(""), {});
  expect(beyondPin(calling(""), pin, {})).toEqual([]);
  const other = calling("https://other.example", async () => {});
  expect(beyondPin(other, pin, {})).toEqual([
    "+ hosts: https://other.example",
    expect.stringMatching(/^\+ syncSchema: /),
  ]);
  const { hosts: _hosts, syncSchema: _sync, ...earlier } = pin;
  expect(beyondPin(other, earlier, {})).toEqual([]);
});

/** What a plugin wants of each kind that pins of version 2 have. */
const greedy = definePlugin({
  name: "greedy",
  requires: ["users" as never],
  provides: ["votes" as never],
  events: ["poll_begin" as never, "page_move" as never],
  permissions: ["poll-begin" as never],
  commands: { poll: { summary: "", usage: "", run: async () => 0 } as never },
  migrations: { "0001_init": async () => {} },
  syncSchema: async () => {},
  grants: {
    ...{ read: ["users"], write: ["books"], columns: { pages: ["id"] } as never, contentTables: ["read"] },
    ...{ net: ["setting:address"], files: true, system: true, impersonate: true, auth: true, schema: true },
  },
  settings: t.Object({ address: t.String({ default: "https://a.example", env: "GREEDY_ADDRESS" }) }),
  setup() {},
});
const RECORDED: Recorded = {
  ...{ routeScopes: ["/greedy"], visibilityRules: ["books"], handlers: ["book_create"], filters: ["book_create"] },
  ...{ vetoes: ["book_create"], performs: ["page_move"], slots: ["menu"], slotsRead: ["content"], jobs: ["greed"] },
  ...{ schedules: ["tidy"], publicRoutes: ["/api/greedy"], screens: { "/greedy": "user" } },
};
/** As version 2 wrote it. */
const WHOLE = {
  ...{ read: ["users"], write: ["books"], columns: { pages: ["id"] }, contentTables: ["read"] },
  ...{ net: ["setting:address"], env: ["GREEDY_ADDRESS"], files: true, system: true, impersonate: true, auth: true },
  ...{ schema: true, ...RECORDED, contracts: ["users"], provides: ["votes"], events: ["poll_begin"] },
  ...{ adds: ["poll-begin"], commands: ["poll"], hosts: ["https://a.example"] },
  ...{ syncSchema: pinFor(greedy, RECORDED).syncSchema, migrations: pinFor(greedy, RECORDED).migrations },
};

test.each(Object.keys(WHOLE))(
  "a pin of version 2 that accepts everything but %s refuses that, and nothing else",
  (kind) => {
    const isWanted = (pin: object) => beyondPin(greedy, pin as Pin, RECORDED);
    expect(isWanted(WHOLE)).toEqual([]);
    const lacks: unknown =
      { columns: {}, screens: {}, migrations: {} }[kind] ?? (Array.isArray(Reflect.get(WHOLE, kind)) ? [] : false);
    expect(isWanted({ ...WHOLE, [kind]: lacks })).toEqual([expect.stringMatching(new RegExp(`^\\+ ${kind}\\b`))]);
  },
);

test("what a plugin registers at its trial is compared, the events of others that it lists without one", () => {
  const shipped = [definePlugin({ name: "pages", events: ["page_move"], setup() {} })];
  const refused = (pin: object, trials?: ReadonlyMap<string, Recorded>) => {
    try {
      const grants = { version: 2, plugins: { greedy: pin } } as unknown as PinnedGrants;
      checkPins([...shipped, greedy], { grants, shipped, trials });
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused(WHOLE)).toBe("");
  expect(refused({ ...WHOLE, slots: [], performs: [] })).toContain("accepts:\n  + performs: page_move\nTo accept");
  const trials = new Map([["greedy", RECORDED]]);
  expect(refused(WHOLE, trials)).toBe("");
  expect(refused({ ...WHOLE, slots: [], performs: [] }, trials)).toContain("+ performs: page_move\n  + slots: menu\n");
});

test("pins of version 1 stay readable, and compare grants alone", () => {
  const grants = { version: 1, plugins: { "acme-poll": {}, "acme-kudos": PIN } } as PinnedGrants;
  checkPins([kudos, poll()], { grants });
  const mixed = { version: 2, plugins: { "acme-poll": pinFor(poll(), {}), "acme-kudos": PIN } } as PinnedGrants;
  checkPins([kudos, poll()], { grants: mixed });
  expect(() => checkPins([kudos, poll({ events: ["poll_end"] })], { grants: mixed })).toThrow("+ events: poll_end");
});

test.each([
  [{ contracts: "users" }, 'has another value for "contracts" than a list of names'],
  [{ migrations: ["0001_init"] }, 'has another value for "migrations" than an object of steps with their hashes'],
])("a pin with %j is refused", (facts, said) => {
  expect(refusal({ version: 2, plugins: { notes: facts } })).toContain(said);
});

test("a step is known by its source, whatever it says that this is", () => {
  const stepOf = (run: () => Promise<void>) =>
    definePlugin({
      name: "posing",
      migrations: { "0001_init": Object.assign(run, { toString: () => "accepted" }) },
      setup() {},
    });
  const accepted = pinFor(
    stepOf(async () => {}),
    {},
  );
  expect(
    beyondPin(
      stepOf(async () => void 1),
      accepted,
      {},
    ),
  ).toEqual(["+ migrations: 0001_init (changed)"]);
});

test("where a comment of SQL ends is part of a step, also where an earlier pin has the hash of its source without white space", () => {
  const stepOf = (step: AnyPlugin["migrations"][string]) =>
    definePlugin({ name: "terse", migrations: { "0001_init": step }, setup() {}, syncSchema: step as never });
  const harmless = stepOf(async (db) => {
    await sql`select 1 -- drop table books
    `.execute(db);
  });
  const harmful = stepOf(async (db) => {
    await sql`select 1 --
    drop table books`.execute(db);
  });
  const pin = pinFor(harmless, {});
  expect(beyondPin(harmless, pin, {})).toEqual([]);
  expect(beyondPin(harmful, pin, {})).toEqual([
    expect.stringMatching(/^\+ syncSchema: /),
    "+ migrations: 0001_init (changed)",
  ]);
  const bare = Function.prototype.toString.call(harmless.migrations["0001_init"]).replace(/\s+/g, "");
  const former = createHash("sha256").update(bare).digest("hex").slice(0, 16);
  const earlier = { ...pin, migrations: { "0001_init": former }, syncSchema: [former] };
  expect(beyondPin(harmless, earlier, {})).toEqual([]);
});
