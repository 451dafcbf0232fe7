import { expect, test } from "bun:test";
import { parseListing } from "./listing_query.ts";

const limits = { defaultCount: 100, maxCount: 500 };

test.each([
  [undefined, 100],
  ["7", 7],
  ["0", 1],
  ["-5", 1],
  ["100000", 500],
  ["many", 100],
  ["99999999999999999999", 500],
  ["1.5", 1],
  ["", 100],
  ["0x10", 100],
])("count %p means %p rows", (count, expected) => {
  expect(parseListing(count === undefined ? {} : { count }, limits).count).toBe(expected);
});

test("offset is never negative and never too large for the store", () => {
  expect(parseListing({ offset: "-3" }, limits).offset).toBe(0);
  expect(parseListing({ offset: "99999999999999999999999" }, limits).offset).toBe(Number.MAX_SAFE_INTEGER);
});

test("sort accepts a sign, and a plus that the query string turned into a blank", () => {
  expect(parseListing({ sort: "-Name" }, limits).sort).toEqual({ field: "name", direction: "desc" });
  expect(parseListing({ sort: " name" }, limits).sort).toEqual({ field: "name", direction: "asc" });
  expect(parseListing({ sort: " -name" }, limits).sort).toEqual({ field: "name", direction: "desc" });
  expect(parseListing({ sort: "+-name" }, limits).sort).toEqual({ field: "name", direction: "asc" });
  expect(parseListing({ sort: "-" }, limits).sort).toBeUndefined();
  expect(parseListing({ sort: ["x"] }, limits).sort).toBeUndefined();
});

test("filters name field and operator; unknown operators mean equal; lists and plain text are ignored", () => {
  expect(
    parseListing({ filter: { "Name:like": "%a", id: "3", "id:is": "4", "slug:LIKE": "5", tags: ["x"] } }, limits)
      .filters,
  ).toEqual([
    { field: "name", operator: "like", value: "%a" },
    { field: "id", operator: "eq", value: "3" },
    { field: "id", operator: "eq", value: "4" },
    { field: "slug", operator: "eq", value: "5" },
  ]);
  expect(parseListing({ filter: "Oak" }, limits).filters).toEqual([]);
});
