/**
 * Values that a plugin which does not ship gives to statements of others: SQL in the place of one reads hashes of passwords with the
 * rights of the account, whether it comes from a function, a getter, a class, a proxy or a promise.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type AnyContext, type AnyPlugin, definePlugin, frozenViewer, GUEST, inLanguage, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "lectern/plugins";
import { FEW, WITH_PAGES } from "../support/harness/few_plugins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

/** SQL takes the place of values of any type here, so nothing of the plugin is typed. */
// biome-ignore lint/suspicious/noExplicitAny: the plugins here break the types of what they call.
type Untyped = any;

const HASH = "(select password from users order by id limit 1)";
const stolen = () => sql.raw<string>(HASH);
const AT_HOME = { env: { PLUGIN_ROLES: "third-party" } };
/** A proxy that denies to be SQL when it is asked. */
const denying = () => new Proxy({ toOperationNode: () => stolen().toOperationNode() }, { has: () => false });
class Hidden {
  get toOperationNode() {
    return () => stolen().toOperationNode();
  }
}

let runtime: TestRuntime;
let context: Untyped;
/** What the job of the plugin fails with. */
let failure: unknown;
/** What the plugin puts into the audit log. */
let detail: unknown = "plain";

const giver = definePlugin({
  name: "giver",
  requires: ["overrides", "users"],
  events: ["giver_poke"],
  grants: { impersonate: true },
  setup(own: Untyped) {
    context = own;
    own.contribute("activity", { event: "giver_poke", activities: () => [{ type: "giver_poke", detail }] });
    own.jobs.handle("giver_job", async () => {
      if (failure !== undefined) throw failure;
    });
  },
} as Untyped) as AnyPlugin;

beforeAll(async () => {
  const only = [...WITH_PAGES, "content_permissions", "audit_log"];
  runtime = await bootTestRuntime({ extra: [giver], only, env: { ...AT_HOME.env, RATE_LIMITS_SHARED: "true" } });
});
afterAll(() => runtime?.stop());

/** Runs a function within a transaction of the plugin. */
const within = (run: (tx: Untyped) => Promise<unknown>) =>
  context.perform("giver_poke", GUEST, {}, async (_draft: unknown, tx: unknown) => ({ done: await run(tx) }));
const replace = (id: unknown, entries: unknown = []) =>
  within((tx) => context.contracts.overrides.replace("book", id, entries, tx));
const logged = (value: unknown) => {
  detail = value;
  return within(async () => {});
};

/** The reader of books, as the plugin calls it. */
const reader = () => context.slot("item_reader").find(({ kind }: Untyped) => kind === "book");

const ATTACKS: readonly [title: string, place: string, attack: () => Promise<unknown>][] = [
  ["SQL as an argument", "an argument of overrides.replace", () => replace(stolen())],
  ["a function that returns SQL", "an argument of overrides.replace", () => replace(stolen)],
  ["a proxy that denies to be SQL", "an argument of overrides.replace", () => replace(denying())],
  ["an object of a class with such a getter", "an argument of overrides.replace", () => replace(new Hidden())],
  ["a list with a function", "an argument of overrides.replace", () => replace([1, stolen()])],
  [
    "a getter within an entry",
    "an argument of overrides.replace",
    () => replace(1, [Object.defineProperty({}, "role_id", { enumerable: true, get: stolen })]),
  ],
  [
    "members that are not enumerable",
    "an argument of overrides.replace",
    () => replace(Object.create({}, { toOperationNode: { value: () => stolen().toOperationNode() } })),
  ],
  ["SQL in what a slot's function returns", "slot activity", () => logged(stolen())],
  ["a proxy in it", "slot activity", () => logged(denying())],
  ["a draft", 'the draft of "giver_poke"', () => context.perform("giver_poke", GUEST, new Hidden(), async () => ({}))],
  [
    "a result",
    'the result of "giver_poke"',
    () => context.perform("giver_poke", GUEST, {}, async () => ({ in: [new Map([["id", stolen()]])] })),
  ],
  [
    "the delay of a job",
    'the options of the job "giver_job"',
    () => context.jobs.enqueue("giver_job", {}, { delayMs: stolen() }),
  ],
  [
    "the delay of a job in a transaction",
    'the options of the job "giver_job"',
    () => within((tx) => tx.enqueue("giver_job", {}, { key: stolen() })),
  ],
  [
    "an amount of a limiter",
    'an argument of the limiter "steps"',
    async () => context.limiter("steps", 1e6, 60_000).take("key", stolen()),
  ],
  ["the time of a limiter", 'an argument of the limiter "time"', async () => context.limiter("time", 9, stolen())],
  [
    "a slug that a reader of a slot looks for",
    "an argument of slot item_reader.find",
    async () => reader().find(GUEST, { slug: stolen() }),
  ],
  [
    "ids that it looks for",
    "an argument of slot item_reader.list",
    async () => reader().list(GUEST, { ids: [stolen()] }),
  ],
  [
    "a viewer whose id is SQL",
    "a viewer whose members are no values",
    () => context.perform("giver_poke", frozenViewer({ ...GUEST, id: stolen() } as Untyped), {}, async () => ({})),
  ],
  [
    "a viewer in a language that is SQL",
    "a viewer whose members are no values",
    () =>
      context.perform("giver_poke", inLanguage(frozenViewer({ ...GUEST }), stolen() as Untyped), {}, async () => ({})),
  ],
];

describe("refused with the plugin and the place", () => {
  test.each(ATTACKS)("%s", async (_title, place, attack) => {
    detail = "plain";
    const error: Error = await attack().then(
      () => new Error("nothing was refused"),
      (reason) => reason,
    );
    expect(error.message).toContain('Plugin "giver" cannot give this SQL to statements of others: found ');
    expect(error.message).toContain(place);
    const details = await rows(runtime.db, sql<{ detail: string }>`select detail from activities`);
    expect(details.map((row) => row.detail).join()).not.toContain("$argon2");
  });
});

test("values reach the functions of a slot", async () => {
  const { body: book } = await runtime.ask("POST", "/api/books", { body: { name: "Given" } });
  const [admin] = await rows(runtime.db, sql<{ id: number }>`select min(id) as id from users`);
  const viewer = await context.contracts.users.viewer(admin?.id);
  expect((await reader().find(viewer, { slug: book.slug })).id).toBe(book.id);
});

test("SQL is neither the name of a job or an event nor the message of an error", async () => {
  const name = Object.assign(() => {}, { toOperationNode: () => stolen().toOperationNode() });
  const refused = 'The plugin "giver" gives function as a name: wanted a text';
  await expect(context.jobs.enqueue(name, {})).rejects.toThrow(refused);
  await expect(context.perform(name, GUEST, {}, async () => ({}))).rejects.toThrow(refused);
  failure = Object.defineProperty(new Error("plain"), "message", { value: { slice: stolen } });
  await context.jobs.enqueue("giver_job", {}, { key: "once" });
  await runtime.runtime.jobs.drain();
  failure = undefined;
  const [stored] = await rows(runtime.db, sql<{ error: string }>`select last_error as error from jobs`);
  expect(stored).toEqual({ error: "[object Object]" });
});

test("functions in the place of values return no SQL later either", async () => {
  let answer: unknown = 1;
  const kept: { run?: () => unknown } = {};
  const keeping = definePlugin({
    name: "keeping",
    provides: ["keeping"],
    setup: ({ provide }: Untyped) =>
      provide("keeping", {
        keep(run: () => unknown) {
          kept.run = run;
        },
      }),
  } as Untyped) as AnyPlugin;
  const calling = definePlugin({
    name: "calling",
    requires: ["keeping"],
    setup: ({ contracts }: Untyped) => void contracts.keeping.keep(() => answer),
  } as Untyped) as AnyPlugin;
  const booted = await bootTestRuntime({ extra: [keeping, calling], only: FEW, ...AT_HOME });
  try {
    expect(kept.run?.()).toBe(1);
    answer = Promise.resolve(stolen());
    await expect(kept.run?.()).rejects.toThrow('Plugin "calling" cannot give this SQL');
    answer = stolen();
    expect(() => kept.run?.()).toThrow('Plugin "calling" cannot give this SQL');
  } finally {
    await booted.stop();
  }
});

/** What a proxy has in the place of each function. */
const stolenOf = (_: object, name: string | symbol) => (name === "of" ? stolen : undefined);

class Instance {
  of() {
    return stolen();
  }
}
const CONTRIBUTIONS: readonly [title: string, contribution: () => unknown][] = [
  [
    "a getter",
    () => ({
      get of() {
        return stolen;
      },
    }),
  ],
  ["an object of a class", () => new Instance()],
  ["a function on a prototype", () => Object.create({ of: stolen })],
  ["a proxy", () => new Proxy({ of: () => sql.lit("") }, { get: stolenOf })],
];

test.each(CONTRIBUTIONS)("SQL of a contribution that is %s is checked", async (_title, contribution) => {
  const active = definePlugin({
    name: "active",
    setup: ({ contribute }: AnyContext) => contribute("last_activity", contribution() as never),
  } as Untyped) as AnyPlugin;
  const booted = await bootTestRuntime({ extra: [active], only: FEW, ...AT_HOME });
  try {
    const { status, body } = await booted.ask("GET", "/api/users");
    expect([status, JSON.stringify(body).includes("$argon2")]).toEqual([200, false]);
    const found = booted.contexts.get("users")?.slot("last_activity") as readonly Untyped[];
    expect(() => found[0].of(sql.ref("users.id"))).toThrow("found the text");
  } finally {
    await booted.stop();
  }
});

test("a contribution of a class keeps its own state, and texts that differ each time", async () => {
  class Source {
    readonly #types = ["giver_seen"];
    #count = 0;
    readonly event = "user_update";
    get types() {
      return this.#types;
    }
    get label() {
      this.#count += 1;
      return `read ${this.#count}`;
    }
    activities() {
      return this.#types.map((type) => ({ type, detail: new Date(0).toISOString() }));
    }
  }
  const seeing = definePlugin({
    name: "seeing",
    setup: ({ contribute }: Untyped) => contribute("activity", new Source()),
  } as Untyped) as AnyPlugin;
  const booted = await bootTestRuntime({ extra: [seeing], only: [...FEW, "audit_log"], ...AT_HOME });
  try {
    const [source] = (booted.contexts.get("audit_log") as Untyped).slot("activity").slice(-1);
    expect([source.types, source.activities({})[0].type]).toEqual([["giver_seen"], "giver_seen"]);
    const first = source.label;
    expect([first.startsWith("read "), source.label === first]).toEqual([true, false]);
  } finally {
    await booted.stop();
  }
});

const UNTRUSTED: readonly [title: string, rule: (contracts: Untyped) => unknown][] = [
  ["a view that the contract web has named", ({ web }) => web.view("giver/rule", () => stolen())],
  ["a template", () => () => sql.raw(`${HASH} is null`)],
];

test.each(UNTRUSTED)("%s is no rule of access, and stops the boot", async (_title, rule) => {
  const ruling = definePlugin({
    name: "ruling",
    requires: ["web"],
    grants: { read: ["books"] },
    setup: ({ contracts, visibilityRule }: Untyped) => visibilityRule("books", rule(contracts)),
  } as Untyped) as AnyPlugin;
  const only = [...WITH_PAGES, "sessions", "web"];
  const message = await bootTestRuntime({ extra: [ruling], only, ...AT_HOME }).then(
    (booted) => booted.stop().then(() => "booted"),
    (error: Error) => error.message,
  );
  expect(message).toContain('Plugin "ruling" cannot give this SQL to statements of others');
});
