import { expect, test } from "bun:test";
import { GUEST, SYSTEM, type Viewer } from "lectern/core";
import { flatten } from "lectern/db";
import type { AccessList } from "./contract.ts";
import { decide as decideWith } from "./decide.ts";
import { rowsFor } from "./rows.ts";

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
const item = (owned_by: number | null, acl_id = 0) => ({ id: 9, owned_by, acl_id });
const shown = (narrowed: ReturnType<ReturnType<typeof rowsFor>>) => (narrowed === true ? "all" : flatten(narrowed).sql);
const NEVER = { fallback: -1, allow: [], deny: [] } as const;
const LISTS: Record<number, AccessList> = {
  1: { view: { fallback: 0, allow: [3], deny: [4] }, create: NEVER, update: { ...NEVER, deny: [3] }, delete: NEVER },
  2: { view: { ...NEVER, fallback: 1 }, create: NEVER, update: { ...NEVER, fallback: 0 }, delete: NEVER },
};
const decide = (who: Viewer, permission: string, of?: { id: number; owned_by: number | null; acl_id?: number }) =>
  decideWith((id) => LISTS[id] as AccessList, who, permission, of);

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

test("roles and ownership decide what happens to an item", async () => {
  for (const [held, asked, owner, answer] of DECISIONS) {
    expect([asked, owner, await decide(viewer(held), asked, item(owner))]).toEqual([asked, owner, answer]);
  }
});

/** Roles of the viewer, permission held, asked for, list, answer. */
const OVERRIDDEN: readonly [number[], string, string, number, boolean][] = [
  [[3], "", "page-view", 1, true],
  [[4], "page-view-all", "page-view", 1, false],
  [[3, 4], "", "page-view", 1, true],
  [[5], "page-view-all", "page-view", 1, false],
  [[], "", "page-view", 2, true],
  [[3], "page-update-own", "page-update", 1, false],
  [[4], "page-update-own", "page-update", 1, true],
  [[3], "page-update-own", "page-update", 2, false],
  [[4], "comment-update-own", "comment-update", 2, true],
  [[4], "restrictions-manage-own", "restrictions-manage", 1, true],
];

test("a list speaks first: entries of roles, then its fallback", async () => {
  for (const [roles, held, asked, list, answer] of OVERRIDDEN) {
    const said = await decide(viewer([held], { roles }), asked, item(5, list));
    expect([roles, asked, list, said]).toEqual([roles, asked, list, answer]);
  }
});

test("content that was read without its list is never decided about", () => {
  expect(decide(viewer(["page-view-all"]), "page-view", { id: 9, owned_by: 5 })).rejects.toThrow("acl_id was not read");
});

test("an administrator may do everything with items, and else what the role lists", async () => {
  const admin = viewer([], { admin: true });
  for (const action of ["view", "create", "update", "delete"])
    expect(await decide(admin, `book-${action}`, item(null, 1))).toBe(true);
  expect(await decide(admin, "comment-delete", item(7))).toBe(false);
  expect(await decide(admin, "restrictions-manage", item(7))).toBe(false);
  expect(await decide(admin, "users-manage")).toBe(false);
});

test("a permission without an item is a matter of its name", async () => {
  expect(await decide(viewer(["book-create-all"]), "book-create-all")).toBe(true);
  expect(await decide(viewer(["book-create-own"]), "book-create-all")).toBe(false);
});

test("the system itself may do everything, nobody may do nothing", async () => {
  expect(await decide(SYSTEM, "comment-delete", item(null))).toBe(true);
  expect(await decide(GUEST, "page-view", item(0))).toBe(false);
});

test("what is known of a viewer is folded into the condition of listings", () => {
  const rule = rowsFor("page", "pages" as never);
  expect(shown(rule(viewer(["page-view-all", "page-view-own"])))).toStartWith('("pages"."acl_id" = 0 or ');
  expect(shown(rule(viewer(["page-view-own"])))).toContain('"pages"."owned_by" is not distinct from $1');
  expect(shown(rule(viewer(["page-update-all"])))).toStartWith('("pages"."acl_id" <> 0 and ');
  expect(shown(rule(viewer([], { admin: true })))).toBe("all");
  expect(shown(rule(SYSTEM))).toBe("all");
});
