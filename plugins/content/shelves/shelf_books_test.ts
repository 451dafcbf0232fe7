import { expect, test } from "bun:test";
import { idsOf } from "./shelf_books.ts";

test("idsOf() takes numbers and texts, each id once at its first place", () => {
  expect(idsOf(["7", 3, 7, "3", 9])).toEqual([7, 3, 9]);
});

test("idsOf() drops values that are no ids", () => {
  expect(idsOf([0, -1, 1.5, "x", "", null, true, {}, [3], 2_147_483_648, "1e999"])).toEqual([]);
});
