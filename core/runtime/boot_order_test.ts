import { expect, test } from "bun:test";
import { inBootOrder, unknownContracts, unknownNeighbours } from "./boot_order.ts";
import { type AnyPlugin, definePlugin } from "./plugin.ts";

declare module "lectern/core" {
  interface Contracts {
    test_a: object;
    test_b: object;
  }
}

function plugin(
  name: string,
  requires: AnyPlugin["requires"],
  provides: AnyPlugin["provides"],
  more: Partial<Pick<AnyPlugin, "uses" | "before" | "after">> = {},
): AnyPlugin {
  return definePlugin({ name, requires, provides, ...more, setup: () => {} });
}

const names = (plugins: readonly AnyPlugin[]) => plugins.map(({ name }) => name);

test("inBootOrder() puts providers before their users and keeps the given order otherwise", () => {
  const plugins = [plugin("user", ["test_a"], []), plugin("other", [], []), plugin("provider", [], ["test_a"])];
  expect(inBootOrder(plugins).map(({ name }) => name)).toEqual(["other", "provider", "user"]);
});

test("inBootOrder() names a missing contract", () => {
  expect(() => inBootOrder([plugin("user", ["test_a"], [])])).toThrow(
    'The plugin "user" requires "test_a", which no plugin provides',
  );
});

test("contracts of the runtime need no provider, have none, and are known where a name is misspelt", () => {
  const [, reader] = inBootOrder([plugin("other", [], []), plugin("reader", ["telemetry"], [])]);
  expect(reader?.name).toBe("reader");
  expect(() => inBootOrder([plugin("rival", [], ["telemetry"])])).toThrow(
    'The plugin "rival" provides "telemetry", which Lectern itself provides',
  );
  expect(() => inBootOrder([plugin("hasty", ["telemetri" as never], [])])).toThrow('did you mean "telemetry"?');
});

test("inBootOrder() names every plugin of a cycle", () => {
  const circle = [plugin("one", ["test_b"], ["test_a"]), plugin("two", ["test_a"], ["test_b"])];
  expect(() => inBootOrder(circle)).toThrow('"one" waits for "test_b" of "two"; "two" waits for "test_a" of "one"');
});

test("inBootOrder() refuses two plugins of one name and two providers of one contract", () => {
  expect(() => inBootOrder([plugin("twin", [], []), plugin("twin", [], [])])).toThrow('Two plugins are named "twin"');
  expect(() => inBootOrder([plugin("one", [], ["test_a"]), plugin("two", [], ["test_a"])])).toThrow(
    'Both "one" and "two" provide "test_a"',
  );
});

test("inBootOrder() puts the provider of an optional contract first, and does without one", () => {
  const user = plugin("user", [], [], { uses: ["test_a"] });
  expect(names(inBootOrder([user, plugin("provider", [], ["test_a"])]))).toEqual(["provider", "user"]);
  expect(names(inBootOrder([user]))).toEqual(["user"]);
});

test("inBootOrder() follows `before` and `after`, and ignores plugins that are not there", () => {
  const late = plugin("late", [], [], { after: ["middle", "absent"] });
  const early = plugin("early", [], [], { before: ["middle"] });
  expect(names(inBootOrder([late, plugin("middle", [], []), early]))).toEqual(["early", "middle", "late"]);
});

test("inBootOrder() names each step of a cycle of contracts and names, and no plugin that only waits for it", () => {
  const circle = [
    plugin("outside", [], [], { after: ["one"] }),
    plugin("one", [], ["test_a"], { uses: ["test_b"] }),
    plugin("two", [], ["test_b"], { after: ["three"] }),
    plugin("three", [], []),
    plugin("four", [], [], { before: ["three"], after: ["one"] }),
  ];
  expect(() => inBootOrder(circle)).toThrow(
    'Cannot order the plugins: "one" waits for "test_b" of "two"; "two" waits for "three", which its "after" names; ' +
      '"three" waits for "four", whose "before" names "three"; "four" waits for "one", which its "after" names',
  );
});

test("inBootOrder() names all who need what is left out, and the entry that replaces a shipped plugin", () => {
  const post = plugin("post", [], ["test_a"]);
  const user = plugin("user", ["test_a"], []);
  expect(() => inBootOrder([user], [post, user])).toThrow(
    'The plugin "user" requires "test_a", which no plugin provides; the shipped plugin "post" does, which is left out',
  );
  expect(() => inBootOrder([user, plugin("other", ["test_a"], [])])).toThrow(
    'The plugins "user", "other" require "test_a", which no plugin provides',
  );
  expect(() => inBootOrder([post, plugin("mine", [], ["test_a"])], [post])).toThrow(
    'Both "post" and "mine" provide "test_a"; one must go: to replace "post", write {"from":"lectern/plugins","without":["post"]} instead',
  );
});

test("unknownNeighbours() finds names that are neither installed nor shipped, with the closest one", () => {
  const plugins = [plugin("one", [], [], { before: ["two", "serch"], after: ["search"] }), plugin("two", [], [])];
  expect(unknownNeighbours(plugins, [plugin("search", [], [])])).toEqual([
    { plugin: "one", list: "before", name: "serch", closest: "search" },
  ]);
});

test("unknownContracts() finds names in `uses` that resemble a contract, and a missing required one has a suggestion", () => {
  const given = plugin("given", [], ["test_a"]);
  // The types allow declared names alone.
  const misspelt = plugin("user", [], [], { uses: ["tset_a", "wholly_other", "test_a"] as never });
  expect(unknownContracts([misspelt, given])).toEqual([{ plugin: "user", contract: "tset_a", closest: "test_a" }]);
  expect(() => inBootOrder([plugin("user", ["tset_a"] as never, []), given])).toThrow(
    'The plugin "user" requires "tset_a", which no plugin provides; did you mean "test_a"?',
  );
});
