import { expect, test } from "bun:test";
import { GUEST, SYSTEM, sql, type Viewer } from "lectern/core";
import { flatten } from "lectern/db";
import type { AccessList } from "./contract.ts";
import { decide as decideWith } from "./decide.ts";
import { visibilityRuleFor } from "./visibility.ts";

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
const shown = (narrowed: ReturnType<ReturnType<typeof visibilityRuleFor>>) =>
  narrowed === true ? "all" : flatten(sql`${narrowed}`).sql;
const NEVER = { fallback: -1, allow: [], deny: [] } as const;
const LISTS: Record<number, AccessList> = {
  1: { view: { fallback: 0, allow: [3], deny: [4] }, create: NEVER, update: { ...NEVER, deny: [3] }, delete: NEVER },
  2: { view: { ...NEVER, fallback: 1 }, create: NEVER, update: { ...NEVER, fallback: 0 }, delete: NEVER },
};
const decide = (who: Viewer, permission: string, of?: { id: number; owned_by: number | null; acl_id?: number }) =>
  decideWith({ loadList: (id) => LISTS[id] as AccessList, isContent: (kind) => kind !== "loan" }, who, permission, of);

/** Cases of platform 2.4 without overrides, then of 2.3: permissions of the viewer, permission checked, owner, expected. */
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

test("without overrides roles and ownership decide", async () => {
  for (const [held, permission, owner, expected] of DECISIONS) {
    const decision = await decide(viewer(held), permission, item(owner));
    expect([permission, owner, decision]).toEqual([permission, owner, expected]);
  }
});

/** Roles of the viewer, permission of the viewer, permission checked, list, expected. */
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

test("an access list comes first: its roles, then its fallback", async () => {
  for (const [roles, held, permission, list, expected] of OVERRIDDEN) {
    const decision = await decide(viewer([held], { roles }), permission, item(5, list));
    expect([roles, permission, list, decision]).toEqual([roles, permission, list, expected]);
  }
});

test("content that was read without its list throws", () => {
  expect(decide(viewer(["page-view-all"]), "page-view", { id: 9, owned_by: 5 })).rejects.toThrow("acl_id was not read");
});

test("items of kinds that are no content have no overrides, so they need no list", async () => {
  const loan = { id: 9, owned_by: 5 };
  expect(await decide(viewer(["loan-update-own"]), "loan-update", loan)).toBe(true);
  expect(await decide(viewer(["loan-update-own"]), "loan-update", { ...loan, owned_by: 7 })).toBe(false);
  expect(await decide(viewer([]), "loan-update", loan)).toBe(false);
});

test("an administrator may do everything with content, and otherwise what the role grants", async () => {
  const admin = viewer([], { admin: true });
  for (const action of ["view", "create", "update", "delete"])
    expect(await decide(admin, `book-${action}`, item(null, 1))).toBe(true);
  expect(await decide(admin, "comment-delete", item(7))).toBe(false);
  expect(await decide(admin, "restrictions-manage", item(7))).toBe(false);
  expect(await decide(admin, "users-manage")).toBe(false);
});

test("a permission without an item is compared by name", async () => {
  expect(await decide(viewer(["book-create-all"]), "book-create-all")).toBe(true);
  expect(await decide(viewer(["book-create-own"]), "book-create-all")).toBe(false);
});

test("the system viewer may do everything, the guest without permissions nothing", async () => {
  expect(await decide(SYSTEM, "comment-delete", item(null))).toBe(true);
  expect(await decide(GUEST, "page-view", item(0))).toBe(false);
});

test("the permissions of the viewer are folded into the condition of listings", () => {
  const rule = visibilityRuleFor("page", "pages" as never);
  expect(shown(rule(viewer(["page-view-all", "page-view-own"])))).toStartWith('("pages"."acl_id" = 0 or ');
  expect(shown(rule(viewer(["page-view-own"])))).toContain('"pages"."owned_by" is not distinct from $1');
  expect(shown(rule(viewer(["page-update-all"])))).toStartWith('("pages"."acl_id" <> 0 and ');
  expect(shown(rule(viewer([], { admin: true })))).toBe("all");
  expect(shown(rule(SYSTEM))).toBe("all");
});
