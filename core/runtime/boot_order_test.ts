import { expect, test } from "bun:test";
import { inBootOrder } from "./boot_order.ts";
import { type AnyPlugin, definePlugin } from "./plugin.ts";

declare module "./registry.ts" {
  interface Contracts {
    test_a: object;
    test_b: object;
  }
}

function plugin(name: string, requires: AnyPlugin["requires"], provides: AnyPlugin["provides"]): AnyPlugin {
  return definePlugin({ name, requires, provides, setup: () => {} });
}

test("inBootOrder() puts providers before their users and keeps the given order otherwise", () => {
  const plugins = [plugin("user", ["test_a"], []), plugin("other", [], []), plugin("provider", [], ["test_a"])];
  expect(inBootOrder(plugins).map(({ name }) => name)).toEqual(["other", "provider", "user"]);
});

test("inBootOrder() names a missing contract", () => {
  expect(() => inBootOrder([plugin("user", ["test_a"], [])])).toThrow(
    'The plugin "user" requires "test_a", which no plugin provides',
  );
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
