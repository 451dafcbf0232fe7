import { expect, test } from "bun:test";
import type { Permit } from "../registry.ts";
import { coversPath, coversPermit, permissionsOf, permitText } from "./path_patterns.ts";

test.each<[Permit, Permit, boolean]>([
  ["public", "user", true],
  ["reader", "public", false],
  ["reader", "users-manage" as Permit, true],
  ["users-manage" as Permit, ["users-manage"], true],
  [["users-manage", "tags-manage"], "users-manage" as Permit, true],
  ["users-manage" as Permit, "user", false],
  ["users-manage" as Permit, { all: ["users-manage", "tags-manage"] }, true],
  // Accepted before 0.3.
  ["anyone" as Permit, "public", true],
])("coversPermit() of %j and %j is %j", (declared, permit, covers) => {
  expect(coversPermit(declared, permit)).toBe(covers);
});

test("a permit names its permissions, and is shown as text", () => {
  expect((["public", "user", "users-manage"] as Permit[]).map(permissionsOf)).toEqual([[], [], ["users-manage"]]);
  expect([permissionsOf({ all: ["a-b"] }), permissionsOf(undefined)]).toEqual([["a-b"], []]);
  expect([permitText(["a-b", "c-d"]), permitText({ all: ["a-b", "c-d"] })]).toEqual(["a-b or c-d", "a-b and c-d"]);
});

test("a declared path covers itself, or all below it", () => {
  expect([
    coversPath("/notes", "/notes/1"),
    coversPath("/notes/*", "/notes"),
    coversPath("/notes/*", "/notes/1"),
  ]).toEqual([false, true, true]);
});
