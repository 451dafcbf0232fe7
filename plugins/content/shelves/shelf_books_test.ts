import { expect, test } from "bun:test";
import { idsOf } from "./shelf_books.ts";

test("idsOf() takes numbers and texts, each id once at its first place", () => {
  expect(idsOf(["7", 3, 7, "3", 9])).toEqual([7, 3, 9]);
});

test("idsOf() takes an object as forms send it", () => {
  expect(idsOf({ 0: "5", 1: "4" })).toEqual([5, 4]);
});

test.each([
  ['{"1": 5, "0": 3}', [3, 5]],
  ['{"10": 1, "9": 2, "-1": 3}', [3, 2, 1]],
  ['{"2": 5, "01": 3, "a": 7, "b": 4}', [4, 7, 3, 5]],
  ['{"first": 7, "second": 4, "third": 5}', [4, 5, 7]],
])("idsOf() orders %p by its numeric keys, then by id", (sent, ids) => {
  expect(idsOf(JSON.parse(sent))).toEqual(ids);
});

test("idsOf() drops values that are no ids", () => {
  expect(idsOf([0, -1, 1.5, "x", "", null, true, {}, [3], 2_147_483_648, "1e999"])).toEqual([]);
});
