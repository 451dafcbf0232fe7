import { expect, test } from "bun:test";
import { ident, literal } from "../query/quoting.ts";
import { functionName, roleName } from "./names.ts";

/** Roles outlive versions of Lectern: another name would be another role. */
const NAMES: readonly [prefix: string, plugin: string, name: string][] = [
  ["lectern:docs", "notes", "lectern:docs:notes"],
  ["lectern:docs", "n".repeat(50), `lectern:docs:${"n".repeat(50)}`],
  ["lectern:docs", "n".repeat(51), `lectern:docs:${"n".repeat(33)}~71322a6206387e4f`],
  ["lectern:docs", `${"n".repeat(50)}a`, `lectern:docs:${"n".repeat(33)}~11a8b6a03360ae89`],
  ["lectern:docs", "é".repeat(40), `lectern:docs:${"é".repeat(16)}~3719d61759c557fd`],
];

test("a role has the same name in every version, and PostgreSQL truncates none", () => {
  for (const [prefix, plugin, name] of NAMES) {
    const found = roleName(prefix, plugin);
    expect([plugin, found]).toEqual([plugin, name]);
    expect(Buffer.byteLength(found)).toBeLessThanOrEqual(63);
  }
});

test("names that are cut differ where the names do", () => {
  const plugins = ["a", "b", "ab"].map((end) => "plugin".repeat(12) + end);
  const names = plugins.flatMap((plugin) => [functionName("run", plugin), functionName("exec", plugin)]);
  expect(new Set(names).size).toBe(6);
});

test("names and texts are quoted for SQL", () => {
  expect(ident('a "b" c')).toBe('"a ""b"" c"');
  expect([literal("it's"), literal("a\\'b")]).toEqual(["'it''s'", "E'a\\\\''b'"]);
});
