import { expect, test } from "bun:test";
import { orderIn, orderText } from "./order.ts";
import { besideIn, moveAcross, type StepAcross } from "./order_books.ts";

const BOOKS = [
  { id: 1, entries: orderIn("page:1 chapter:3 page:31 end") },
  { id: 2, entries: orderIn("page:2") },
  { id: 3, entries: [] },
];
const after = (step: StepAcross, type: string, id: number) =>
  moveAcross(BOOKS, step, { type, id }).map((book) => [book.id, orderText(book.entries)]);

test("past the ends of a book an entry goes to the book beside it, and elsewhere a step stays within", () => {
  expect(after("down", "chapter", 3)).toEqual([
    [2, "chapter:3 page:31 end page:2"],
    [1, "page:1"],
  ]);
  expect(after("up", "page", 2)).toEqual([
    [1, "page:1 chapter:3 page:31 end page:2"],
    [2, ""],
  ]);
  expect(after("down", "page", 1)).toEqual([[1, "chapter:3 page:31 end page:1"]]);
  expect(after("up", "page", 1)).toEqual([[1, "page:1 chapter:3 page:31 end"]]);
});

test("a step over takes an entry, from its chapter too, to the end of the next book", () => {
  expect(after("over", "page", 31)).toEqual([
    [2, "page:2 page:31"],
    [1, "page:1 chapter:3 end"],
  ]);
  expect(moveAcross(BOOKS.toReversed(), "over", { type: "page", id: 1 }).map(({ id }) => id)).toEqual([3, 1]);
  expect(after("over", "page", 99)).toEqual([]);
});

test("an address names up to four other books", () => {
  expect(besideIn("3,1,x,0,3,4,5,6,7", 1)).toEqual([3, 4, 5, 6]);
  expect(besideIn(undefined, 1)).toEqual([]);
});
