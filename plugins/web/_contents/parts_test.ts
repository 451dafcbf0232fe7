import { expect, test } from "bun:test";
import fc from "fast-check";
import { partOf, partWith } from "./parts.ts";

interface Named {
  readonly name: string;
  readonly pages?: readonly Named[];
}

const page = (name: string): Named => ({ name });
const BOOK: readonly Named[] = [
  page("a"),
  { name: "one", pages: [page("b"), page("c"), page("d"), page("e"), page("f")] },
  { name: "two", pages: [] },
  page("g"),
];
const outline = (entries: readonly Named[]): string =>
  entries.map(({ name, pages }) => (pages ? `${name}[${outline(pages)}]` : name)).join(" ");

test("contents are cut into parts, and a chapter that is cut is named in each of its parts", () => {
  const parts = [1, 2, 3].map((number) => partOf(BOOK, number, 4));
  expect(parts.map(({ entries }) => outline(entries))).toEqual(["a one[b c]", "one[d e f] two[]", "g"]);
  expect(parts.map(({ cut, page: number, total }) => [cut, number, total])).toEqual([
    [{ before: false, after: true }, 1, 9],
    [{ before: true, after: true }, 2, 9],
    [{ before: true, after: false }, 3, 9],
  ]);
  expect(parts.map(({ entries }) => entries.map(({ cut }) => cut))).toEqual([
    [undefined, { before: false, after: true }],
    [{ before: true, after: false }, undefined],
    [undefined],
  ]);
});

test("a number beyond the last part is that of the last one, and a short book has one part", () => {
  expect(partOf(BOOK, 99, 4)).toMatchObject({ page: 3, entries: [{ name: "g" }] });
  expect(partOf(BOOK, 99)).toMatchObject({ page: 1, cut: { before: false, after: false } });
  expect(partOf([], 1)).toMatchObject({ page: 1, total: 0, entries: [] });
});

test("every page is in one part, that which is found by it, and no part is larger than its size", () => {
  const contents = fc.array(fc.record({ count: fc.option(fc.nat(12), { nil: undefined }) }), { maxLength: 20 });
  fc.assert(
    fc.property(contents, fc.integer({ min: 1, max: 9 }), (drawn, size) => {
      const book = drawn.map(
        ({ count }, at): Named => ({
          name: `${at}`,
          ...(count !== undefined && { pages: Array.from({ length: count }, (_, n) => page(`${at}.${n}`)) }),
        }),
      );
      const last = partOf(book, Number.MAX_SAFE_INTEGER, size).page;
      const pages: string[] = [];
      for (let number = 1; number <= last; number++) {
        const { entries } = partOf(book, number, size);
        const leaves = entries.flatMap((entry) => entry.pages ?? [entry]);
        expect(leaves.length).toBeLessThanOrEqual(size);
        for (const { name, pages: own } of leaves)
          if (!own) {
            pages.push(name);
            expect(partWith(book, (entry) => entry.name === name, size)).toBe(number);
          }
      }
      expect(pages).toEqual(
        book
          .flatMap((entry) => entry.pages ?? [entry])
          .filter((entry) => !entry.pages)
          .map(({ name }) => name),
      );
    }),
  );
});
