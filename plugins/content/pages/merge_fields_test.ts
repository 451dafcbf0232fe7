import { expect, test } from "bun:test";
import { mergeTags } from "./merge_fields.ts";

test("mergeTags() merges the values of each name, in the order of mine", () => {
  const tag = (name: string, value = "") => ({ name, value });
  const base = [tag("a", "1"), tag("a", "2"), tag("b"), tag("gone")];
  const mine = [tag("b", "new"), tag("a", "1"), tag("a", "2"), tag("gone", "kept"), tag("__proto__")];
  const theirs = [tag("a", "1"), tag("b"), tag("theirs")];
  expect(mergeTags({ base, mine, theirs })).toEqual([
    { name: "b", values: ["new"] },
    { name: "a", values: ["1"] },
    { name: "gone", base: [""], mine: ["kept"], theirs: [] },
    { name: "__proto__", values: [""] },
    { name: "theirs", values: [""] },
  ]);
  expect(mergeTags({ base: undefined, mine: [tag("a", "1")], theirs: [tag("a", "2")] })).toEqual([
    { name: "a", base: [], mine: ["1"], theirs: ["2"] },
  ]);
});

test("mergeTags() reads each of many tags a few times", () => {
  let reads = 0;
  const tags = (prefix: string) =>
    Array.from({ length: 500 }, (_, index) => ({
      value: "",
      get name() {
        reads += 1;
        return `${prefix}${index}`;
      },
    }));
  expect(mergeTags({ base: tags("a"), mine: tags("b"), theirs: tags("c") })).toHaveLength(1_000);
  expect(reads).toBeLessThan(10_000);
});
