import { expect, test } from "bun:test";
import { idsOf } from "./books.ts";

test("idsOf() takes numbers and texts, each id once at its first place", () => {
  expect(idsOf(["7", 3, 7, "3", 9])).toEqual([7, 3, 9]);
});

test("idsOf() takes an object as forms send it", () => {
  expect(idsOf({ 0: "5", 1: "4" })).toEqual([5, 4]);
});

test("idsOf() drops what can be no id", () => {
  expect(idsOf([0, -1, 1.5, "x", "", null, true, {}, [3], 2_147_483_648, "1e999"])).toEqual([]);
});
