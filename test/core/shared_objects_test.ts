/**
 * What plugins are handed is shared with others only where it is frozen: a plugin without grants changes neither what a viewer may do
 * nor what other plugins decide, draw and store by.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as contracts from "lectern/contracts";
import * as core from "lectern/core";
import { type AnyContext, definePlugin, GUEST, hasPermission, inLanguage, SYSTEM, t, type Viewer } from "lectern/core";
import { preparedStatements } from "lectern/db";
import { deepFreeze, FrozenSet, plainCopy } from "../../core/std/freeze.ts";
import { frozenViewer } from "../../core/viewer.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Contracts {
    shared_numbers: { list(): Promise<number[]>; nested: { draw(): string } };
  }
  interface Slots {
    shared_shape: { name: string; columns: string[]; nested: { labels: string[] } };
  }
}

/** What an assignment, or any other change, was answered with: "changed", or the refusal of the language. */
function change(run: () => unknown): string {
  try {
    run();
    return "changed";
  } catch (error) {
    return error instanceof TypeError ? "refused" : String(error);
  }
}

/** A viewer as somebody sees it who ignores its type. */
interface Open {
  admin: boolean;
  via: string;
  roles: number[];
  permissions: Set<string>;
  only?: Set<string>;
}

/** Every way to make a viewer more than it is. */
function attacks(viewer: Viewer): Record<string, string> {
  const open = viewer as unknown as Open;
  return {
    admin: change(() => (open.admin = true)),
    via: change(() => (open.via = "system")),
    roles: change(() => (open.roles = [1])),
    pushed: change(() => open.roles.push(1)),
    permissions: change(() => (open.permissions = new Set(["users-manage"]))),
    added: change(() => open.permissions.add("users-manage")),
    borrowed: change(() => Set.prototype.add.call(open.permissions, "users-manage")),
    cleared: change(() => Set.prototype.clear.call(open.only ?? open.permissions)),
    replaced: change(() => (open.permissions.has = () => true)),
    prototype: change(() => (Object.getPrototypeOf(open.permissions).has = () => true)),
    defined: change(() => Object.defineProperty(open, "admin", { value: !open.admin })),
    widened: change(() => Object.assign(open, { only: undefined })),
  };
}
const REFUSED = Object.fromEntries(Object.keys(attacks(GUEST)).map((name) => [name, "refused"]));

const contexts: Record<string, AnyContext> = {};
const seen: unknown[] = [];
let numbers: number[] = [];

const provider = definePlugin({
  name: "shared_provider",
  provides: ["shared_numbers"],
  setup({ contribute, provide }) {
    numbers = [1, 2];
    provide("shared_numbers", { list: async () => numbers, nested: { draw: () => "drawn" } });
    contribute("shared_shape", { name: "x", columns: ["id"], nested: { labels: ["one"] } });
  },
});

/** Has no grants, and changes whatever it gets. */
const stranger = definePlugin({
  name: "shared_stranger",
  requires: ["shared_numbers", "users", "sessions", "web"],
  grants: { read: ["books"] },
  settings: t.Object({ hosts: t.Array(t.String(), { default: ["a.example"] }) }),
  setup(context) {
    contexts.stranger = context as unknown as AnyContext;
    context.app.get("/shared/attack", ({ viewer }) => attacks(viewer), { permit: "access-api" });
    context.app.get("/shared/me", ({ viewer }) => ({ admin: viewer.admin, roles: viewer.roles }), {
      permit: "access-api",
    });
  },
});

/** Changes drafts, results and records in the moments that may not. */
const meddler = definePlugin({
  name: "shared_meddler",
  setup({ on }) {
    const open = (value: unknown) => value as { name: string; draft: { name: string }; result: { name: string } };
    on("book_create", {
      veto(draft, tx) {
        seen.push(
          change(() => (open(draft).name = "vetoed")),
          attacks(tx.viewer),
        );
        return undefined;
      },
      inTransaction(result, _, record) {
        change(() => (open(result).name = "changed"));
        change(() => (open(record).draft.name = "changed"));
        change(() => (open(record).result.name = "changed"));
      },
    });
  },
});

let stage: TestRuntime;
beforeAll(async () => {
  stage = await bootTestRuntime({ extra: [provider, stranger, meddler] });
});
afterAll(() => stage.stop());

test("a set that is frozen answers as one, and nothing adds to it", () => {
  const set = new FrozenSet(["a", "b"]);
  expect([set.size, set.has("a"), set.has("c")]).toEqual([2, true, false]);
  expect([[...set], [...set.keys()], [...set.values()], [...set.entries()]]).toEqual([
    ["a", "b"],
    ["a", "b"],
    ["a", "b"],
    [
      ["a", "a"],
      ["b", "b"],
    ],
  ]);
  const each: unknown[] = [];
  set.forEach((value, same, all) => void each.push(value, same, all === set));
  expect(each).toEqual(["a", "a", true, "b", "b", true]);
  expect([...set.union(new Set(["c"]))]).toEqual(["a", "b", "c"]);
  expect([...set.intersection(new Set(["a"]))]).toEqual(["a"]);
  expect([...set.difference(new Set(["a"]))]).toEqual(["b"]);
  expect([...set.symmetricDifference(new Set(["a", "c"]))]).toEqual(["b", "c"]);
  expect([
    set.isSubsetOf(new Set(["a", "b", "c"])),
    set.isSupersetOf(new Set(["a"])),
    set.isDisjointFrom(new Set(["c"])),
  ]).toEqual([true, true, true]);
  set.union(new Set(["c"])).add("d");
  expect([...set]).toEqual(["a", "b"]);
  for (const name of ["add", "delete", "clear"] as const)
    expect(() => (Set.prototype[name] as (value?: string) => unknown).call(set, "a")).toThrow(TypeError);
});

test("SYSTEM, GUEST and viewers in another language are frozen with their sets and lists", () => {
  for (const viewer of [SYSTEM, GUEST, inLanguage(SYSTEM, "de")]) expect(attacks(viewer)).toEqual(REFUSED);
});

test("a viewer that was frozen without its sets gets a copy that has them, always the same", () => {
  const loose = Object.freeze({ ...GUEST, permissions: new Set(["content-export"]) });
  const frozen = frozenViewer(loose);
  expect(frozenViewer(loose)).toBe(frozen);
  (loose.permissions as Set<string>).add("users-manage");
  expect(hasPermission(frozen, "users-manage")).toBe(false);
  const own = { ...GUEST, name: "own", permissions: new Set<string>() };
  expect(frozenViewer(own)).toBe(own);
});

test("a plugin without grants cannot make the user of a request an administrator, who could then store that role", async () => {
  const reader = await stage.person("reader", ["access-api"]);
  expect((await stage.ask("GET", "/api/shared/attack", { as: reader.token })).body).toEqual(REFUSED);
  expect((await stage.ask("GET", "/api/shared/attack", { as: reader.token })).body).toEqual(REFUSED);
  const stored = await stage.ask("PUT", `/api/users/${reader.id}`, { as: reader.token, body: { roles: [1] } });
  expect(stored.status).toBe(403);
  const me = await stage.ask("GET", "/api/shared/me", { as: reader.token });
  expect(me.body).toEqual({ admin: false, roles: [reader.role] });
});

test("the viewers that contracts return are frozen", async () => {
  const { users } = (contexts.stranger as AnyContext).contracts;
  expect(attacks((await users.viewer(1)) as Viewer)).toEqual(REFUSED);
});

test("a viewer that a plugin makes is frozen when it is used", async () => {
  const visitor: Viewer = { ...GUEST, id: 7, name: "Visitor", permissions: new Set(["access-api"]) };
  const { contexts: all } = stage;
  // A shipped plugin with the power to act as anybody.
  await all.get("users")?.callAs(visitor, "GET", "/api/shared/me");
  expect(attacks(visitor)).toEqual(REFUSED);
});

test("services and contributions are frozen with all that is in them", async () => {
  const context = contexts.stranger as AnyContext;
  const { shared_numbers: service, web } = context.contracts;
  const nested = service.nested as { draw: () => string };
  expect(change(() => (nested.draw = () => "stolen"))).toBe("refused");
  const parts = web.parts as { form: unknown };
  expect(change(() => (parts.form = () => ""))).toBe("refused");
  const [shape] = context.slot("shared_shape");
  expect(change(() => shape?.columns.push("password"))).toBe("refused");
  expect(change(() => shape?.nested.labels.push("two"))).toBe("refused");
  for (const kind of context.slot("content")) {
    expect(change(() => (kind.columns as string[]).push("password"))).toBe("refused");
    expect(change(() => (kind.parents as unknown[]).push({}))).toBe("refused");
    expect(change(() => Object.assign(kind.path, { toOperationNode: () => undefined }))).toBe("refused");
  }
});

test("what a plugin replaces in a service or a list of contributions is replaced for itself alone", async () => {
  const context = contexts.stranger as AnyContext;
  const other = stage.contexts.get("recycle_bin") as AnyContext;
  change(() => Object.assign(context.contracts.users, { viewer: () => SYSTEM }));
  change(() => (context.slot("dependents") as unknown[]).splice(0));
  change(() => Object.assign(context.slot("content")[0] as object, { table: "users" }));
  expect(await stage.contexts.get("sessions")?.contracts.users.viewer(1)).toMatchObject({ id: 1 });
  expect(other.slot("dependents").length).toBeGreaterThan(5);
  expect(other.slot("content")[0]?.table).not.toBe("users" as never);
});

test("what a function of another plugin returns is the caller's own copy", async () => {
  const { shared_numbers: service } = (contexts.stranger as AnyContext).contracts;
  const list = await service.list();
  list.push(3);
  expect([list, numbers, await service.list()]).toEqual([
    [1, 2, 3],
    [1, 2],
    [1, 2],
  ]);
});

test("settings, declarations, texts, faults and the facts of the runtime cannot be changed for others", () => {
  const { runtime, settings, texts, children } = contexts.stranger as AnyContext;
  const plugins = () => runtime.plugins() as unknown[];
  const { plugin } = runtime.plugins().find((each) => each.plugin.name === "users") as { plugin: core.AnyPlugin };
  const routes = () => runtime.routes() as unknown as { detail: Record<string, unknown> }[];
  const count = [plugins().length, routes().length];
  expect(change(() => (settings.hosts as string[]).push("b.example"))).toBe("refused");
  expect(change(() => ((plugin as { grants: object }).grants = {}))).toBe("refused");
  expect(change(() => (plugin.grants.write as string[]).push("tokens"))).toBe("refused");
  expect(change(() => (plugin.permissions as string[]).push("users-manage"))).toBe("refused");
  change(() => Object.assign(texts, { say: () => "stolen" }));
  expect(stage.contexts.get("web")?.texts.say("Save")).toBe("Save");
  plugins().splice(0);
  routes().splice(0);
  const [route] = routes();
  change(() => Object.assign(route?.detail as object, { summary: "stolen" }));
  expect(routes()[0]?.detail.summary).not.toBe("stolen");
  expect([plugins().length, routes().length]).toEqual(count);
  change(() => Object.assign(children, { run: async () => "stolen" }));
  expect(stage.contexts.get("markup")?.children.run.toString()).not.toContain("stolen");
});

test("handlers that may not change an event get copies of its draft and result", async () => {
  seen.length = 0;
  const made = await stage.ask("POST", "/api/books", { body: { name: "As it was sent" } });
  expect(made.body.name).toBe("As it was sent");
  expect(seen).toEqual(["changed", REFUSED]);
  expect((await stage.ask("GET", `/api/books/${made.body.id}`)).body.name).toBe("As it was sent");
  const [row] = (await stage.ask("GET", "/api/audit-log?filter[type]=book_create&sort=-id&count=1")).body.data;
  expect(row.detail).toContain("As it was sent");
});

test("plainCopy() copies what contains itself, and keeps what is frozen", () => {
  const ring: { self?: unknown; list: number[] } = { list: [1] };
  ring.self = ring;
  const copy = plainCopy(ring);
  expect(copy.self).toBe(copy);
  expect(copy.list).not.toBe(ring.list);
  const date = new Date();
  const kept = deepFreeze({ a: [1] });
  expect([plainCopy(date), plainCopy(kept)]).toEqual([date, kept]);
  expect(plainCopy(kept)).toBe(kept);
});

/** Libraries that are passed on, and classes. */
const PASSED_ON = new Set(["t", "elysiaTypes", "sql"]);

test("no module that plugins import exports an object that can be changed", () => {
  const open = Object.entries({ ...core, ...contracts }).filter(
    ([name, value]) =>
      !PASSED_ON.has(name) && typeof value === "object" && value !== null && !isDeeplyFrozen(value, new Set()),
  );
  expect(open.map(([name]) => name)).toEqual([]);
});

function isDeeplyFrozen(value: unknown, known: Set<unknown>): boolean {
  if (typeof value !== "object" || value === null || known.has(value)) return true;
  known.add(value);
  return Object.isFrozen(value) && Object.values(value).every((member) => isDeeplyFrozen(member, known));
}

test("conditions of visibility, which all plugins share, stay what they are; those of other tables are not handed out", () => {
  const { visible } = contexts.stranger as AnyContext;
  const condition = visible.where("books", GUEST);
  const tree = condition.toOperationNode() as unknown as { sqlFragments: string[] };
  expect([
    change(() => Object.assign(condition, { toOperationNode: () => tree })),
    change(() => Object.assign(tree, { sqlFragments: ["true"] })),
    change(() => tree.sqlFragments.push("or true")),
    Reflect.deleteProperty(condition, "toOperationNode"),
  ]).toEqual(["refused", "refused", "refused", false]);
  expect(() => visible.where("users", GUEST)).toThrow('"users"');
});

test("statements of all modules, which can be listed, cannot be changed", () => {
  const [statement] = preparedStatements();
  expect([
    change(() => Object.assign(statement as object, { execute: async () => [] })),
    change(() => Object.assign(Object.getPrototypeOf(statement), { execute: async () => [] })),
  ]).toEqual(["refused", "refused"]);
});
