import { expect, test } from "bun:test";
import { isolated } from "./ui.ts";

test("a name without bidirectional control characters is unchanged", () => {
  for (const name of ["Runbooks", "كتاب", "", "a :b"]) expect(isolated(name)).toBe(name);
  expect(isolated(3)).toBe(3);
});

test("bidirectional control characters are isolated, whether balanced or not", () => {
  expect(isolated("a\u202eb")).toBe("\u2068a\u202eb\u2069");
  expect(isolated("a\u2069\u202eb")).toBe("\u2068a\u202eb\u2069");
  expect(isolated("\u2067\u2067a\u2069")).toBe("\u2068\u2067\u2067a\u2069\u2069\u2069");
});
