import { expect, test } from "bun:test";
import { idsOf } from "./shelf_books.ts";

test("idsOf() reads a list of books as the same fields of a form, in which they stand by their places", () => {
  const sent = [7, "3", 0, -1, 1.5, 7, 2_147_483_648, null, { id: 4 }, "x", 5];
  const form = Object.fromEntries(Object.entries(sent).reverse());
  expect(idsOf(sent)).toEqual([7, 3, 5]);
  expect(idsOf(form)).toEqual([7, 3, 5]);
  expect(idsOf({ 2: 9, 1: 8, first: 6 })).toEqual([6, 8, 9]);
  expect(idsOf("7")).toEqual([]);
});
