import { expect, test } from "bun:test";
import { ALL_NAMES, EDITOR_NAMES, knownNames, VIEWER_NAMES } from "./permission_names.ts";

test("there are 62 names without duplicates", () => {
  expect(ALL_NAMES.length).toBe(62);
  expect(new Set(ALL_NAMES).size).toBe(62);
});

test("editors may edit content and images, viewers may view and export", () => {
  expect(EDITOR_NAMES.length).toBe(39);
  expect(EDITOR_NAMES).not.toContain("access-api");
  expect(VIEWER_NAMES.length).toBe(9);
});

test("unknown and repeated names are dropped", () => {
  const known = new Set(ALL_NAMES);
  expect(knownNames(["page-view-all", "page-fly-all", "", "page-view-all", "access-api"], known)).toEqual([
    "access-api",
    "page-view-all",
  ]);
});
