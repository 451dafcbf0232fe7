import { expect, test } from "bun:test";
import { NOBODY, SYSTEM, type Viewer } from "lectern/core";
import { flatten } from "lectern/db";
import { decide, rowsFor } from "./decide.ts";

const viewer = (permissions: string[], more: Partial<Viewer> = {}): Viewer => ({
  id: 5,
  name: "Ann",
  slug: "ann",
  roles: [3],
  permissions: new Set(permissions),
  admin: false,
  via: "token",
  ...more,
});
const item = (owned_by: number | null) => ({ id: 9, owned_by });
const shown = (narrowed: ReturnType<ReturnType<typeof rowsFor>>) => (narrowed === true ? "all" : flatten(narrowed).sql);

/** Rows of platform 2.4 without overrides, then of 2.3: permissions held, asked for, owner, answer. */
const DECISIONS: readonly [string[], string, number | null, boolean][] = [
  [["page-view-all"], "page-view", 7, true],
  [[], "page-view", 7, false],
  [["page-view-own"], "page-view", 5, true],
  [["page-view-own"], "page-view", 7, false],
  [["page-view-own"], "page-view", null, false],
  [["page-update-all"], "page-delete", 5, false],
  [["restrictions-manage-own"], "restrictions-manage", 5, true],
  [["restrictions-manage-own"], "restrictions-manage", 7, false],
  [["comment-update-own"], "comment-update", 5, true],
];

test("roles and ownership decide what happens to an item", () => {
  for (const [held, asked, owner, answer] of DECISIONS) {
    expect([asked, owner, decide(viewer(held), asked, item(owner))]).toEqual([asked, owner, answer]);
  }
});

test("an administrator may do everything with items, and else what the role lists", () => {
  const admin = viewer([], { admin: true });
  for (const action of ["view", "create", "update", "delete"])
    expect(decide(admin, `book-${action}`, item(null))).toBe(true);
  expect(decide(admin, "comment-delete", item(7))).toBe(false);
  expect(decide(admin, "restrictions-manage", item(7))).toBe(false);
  expect(decide(admin, "users-manage")).toBe(false);
});

test("a permission without an item is a matter of its name", () => {
  expect(decide(viewer(["book-create-all"]), "book-create-all")).toBe(true);
  expect(decide(viewer(["book-create-own"]), "book-create-all")).toBe(false);
});

test("the house itself may do everything, nobody may do nothing", () => {
  expect(decide(SYSTEM, "comment-delete", item(null))).toBe(true);
  expect(decide(NOBODY, "page-view", item(0))).toBe(false);
});

test("listings show all rows, own rows or none, as decisions on single items do", () => {
  const rule = rowsFor("page", "pages" as never);
  expect(shown(rule(viewer(["page-view-all", "page-view-own"])))).toBe("all");
  expect(shown(rule(viewer(["page-view-own"])))).toBe('"pages"."owned_by" = $1');
  expect(shown(rule(viewer(["page-update-all"])))).toBe("false");
  expect(shown(rule(viewer([], { admin: true })))).toBe("all");
  expect(shown(rule(SYSTEM))).toBe("all");
});
