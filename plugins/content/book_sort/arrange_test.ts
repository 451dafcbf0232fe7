import { expect, test } from "bun:test";
import { arrange, type Child, containerOf, isMoved, keepsOrder, type Placement } from "./arrange.ts";
import type { Entry } from "./contract.ts";

const BOOK = 1;
const chapter = (id: number, priority: number, book_id = BOOK): Child => ({
  ...{ type: "chapter", id, book_id, chapter_id: null, priority },
});
const page = (id: number, priority: number, chapter_id: number | null = null, book_id = BOOK): Child => ({
  ...{ type: "page", id, book_id, chapter_id, priority },
});

/** Placements as text: chapters with their pages in brackets. */
function shown(placed: readonly Placement[], bookId = BOOK): string {
  const within = (container: number): string =>
    placed
      .filter((placement) => containerOf(placement) === container)
      .sort((a, b) => a.priority - b.priority)
      .map(({ child }) => (child.type === "chapter" ? `c${child.id}[${within(child.id)}]` : `p${child.id}`))
      .join(" ");
  return within(-bookId);
}

const book = (children: readonly Child[], items: readonly Entry[], isPart = false) =>
  shown(arrange(children, [{ bookId: BOOK, items, isPart }]));

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
  const placed = arrange(children, [{ bookId: BOOK, items: [], isPart: false }]).filter(
    ({ chapter_id }) => chapter_id === null,
  );
  expect(keepsOrder(placed)).toBe(true);
  expect(keepsOrder(placed.toReversed())).toBe(false);
});

test("what is behind the last entry of a part stays behind it", () => {
  const order: Entry[] = [
    { type: "page", id: 2 },
    { type: "chapter", id: 1, pages: [11] },
  ];
  expect(book(children, order, true)).toBe("p2 c1[p11 p12] c3[p31]");
  expect(book(children, order)).toBe("p2 c3[p31] c1[p11 p12]");
});

test("chapters and pages go to other books, and pages along with their chapter unless they are named elsewhere", () => {
  const others = [chapter(7, 1, 2), page(71, 1, 7, 2), page(8, 2, null, 2)];
  const placed = arrange(
    [...children, ...others],
    [
      {
        bookId: 1,
        items: [
          { type: "page", id: 12 },
          { type: "chapter", id: 3, pages: [8, 31] },
        ],
        isPart: false,
      },
      {
        bookId: 2,
        items: [
          { type: "chapter", id: 1 },
          { type: "page", id: 2 },
        ],
        isPart: false,
      },
    ],
  );
  expect([shown(placed), shown(placed, 2)]).toEqual(["p12 c3[p8 p31]", "c7[p71] c1[p11] p2"]);
  const moved = placed.filter(isMoved).map(({ child, book_id }) => [child.type, child.id, book_id]);
  expect(moved.sort()).toEqual([
    ["chapter", 1, 2],
    ["page", 12, 1],
    ["page", 2, 2],
    ["page", 8, 1],
  ]);
});
