import { expect, test } from "bun:test";
import { arrange, type Child, keepsOrder } from "./arrange.ts";

const chapter = (id: number, priority: number): Child => ({ type: "chapter", id, chapter_id: null, priority });
const page = (id: number, priority: number, chapter_id: number | null = null): Child => ({
  type: "page",
  id,
  chapter_id,
  priority,
});

/** A book as text: chapters with their pages in brackets. */
function book(children: readonly Child[], entries: Parameters<typeof arrange>[1]): string {
  const placed = arrange(children, entries);
  const within = (container: number | null): string =>
    placed
      .filter(({ chapter_id }) => chapter_id === container)
      .sort((a, b) => a.priority - b.priority)
      .map(({ child }) => (child.type === "chapter" ? `c${child.id}[${within(child.id)}]` : `p${child.id}`))
      .join(" ");
  return within(null);
}

const children = [chapter(1, 1), page(11, 1, 1), page(12, 2, 1), page(2, 2), chapter(3, 3), page(31, 1, 3)];

test("entries get the requested order, and pages the requested chapter", () => {
  expect(book(children, [])).toBe("c1[p11 p12] p2 c3[p31]");
  expect(
    book(children, [
      { type: "chapter", id: 3, pages: [12, 31, 2] },
      { type: "page", id: 11 },
      { type: "chapter", id: 1, pages: [] },
    ]),
  ).toBe("c3[p12 p31 p2] p11 c1[]");
});

test("children that are not named stay after what they follow, and a chapter without listed pages keeps its pages", () => {
  expect(
    book(children, [
      { type: "chapter", id: 3 },
      { type: "chapter", id: 1, pages: [12] },
    ]),
  ).toBe("c3[p31] c1[p11 p12] p2");
  expect(book(children, [{ type: "page", id: 12 }])).toBe("c1[p11] p2 c3[p31] p12");
});

test("entries that are not in the book are ignored", () => {
  expect(
    book(children, [
      { type: "page", id: 99 },
      { type: "chapter", id: 98, pages: [31] },
    ]),
  ).toBe("c1[p11 p12] p2 c3[]");
});

test("children of the same priority are ordered chapters first, then by id", () => {
  expect(book([page(5, 0), chapter(7, 0), page(4, 0)], [])).toBe("c7[] p4 p5");
});

test("keepsOrder() compares with the present order", () => {
  const placed = arrange(children, []).filter(({ chapter_id }) => chapter_id === null);
  expect(keepsOrder(placed)).toBe(true);
  expect(keepsOrder(placed.toReversed())).toBe(false);
});
