import { expect, test } from "bun:test";
import { SYSTEM, type Viewer } from "lectern/core";
import { byToken, checkScope, scopeFor } from "./scope.ts";
import type { CachedToken } from "./token_cache.ts";

const owner: Viewer = {
  id: 5,
  name: "Ann",
  slug: "ann",
  roles: [1],
  permissions: new Set(["access-api", "page-view-all", "page-update-own", "users-manage"]),
  admin: true,
  via: "session",
};
const token = (only: readonly string[] | null): CachedToken => ({
  id: 1,
  userId: 5,
  hash: "",
  expiresAt: 0,
  isConfirmed: true,
  readOnly: false,
  only: only && new Set(only),
});

test("a token without a scope has all permissions of its user, one with a scope fewer and no administrator's", () => {
  const { permissions, ...whole } = byToken(owner, token(null));
  const { permissions: all, ...rest } = owner;
  expect([whole, [...permissions]]).toEqual([{ ...rest, via: "token" }, [...all]]);
  const viewer = byToken(owner, token(["page-view-all", "settings-manage"]));
  expect([...viewer.permissions]).toEqual(["access-api", "page-view-all"]);
  expect([viewer.admin, viewer.roles]).toEqual([false, [1]]);
});

test("the viewer of a token is the same object until its user changes", () => {
  const narrow = token(["page-view-all"]);
  expect(byToken(owner, narrow)).toBe(byToken(owner, narrow));
  const demoted = { ...owner, permissions: new Set(["access-api"]) };
  expect([...byToken(demoted, narrow).permissions]).toEqual(["access-api"]);
});

test("events of content check the scope of a token again", () => {
  const names = ["page", "book"];
  const reader = byToken(owner, token(["page-view-all"]));
  for (const event of ["page_update", "page_move", "page_create", "page_delete", "book_update"])
    expect(() => checkScope(reader, event, names)).toThrow("do not have permission");
  const editor = byToken(owner, token(["page-update-own"]));
  checkScope(editor, "page_update", names);
  expect(() => checkScope(editor, "page_move", names)).toThrow("do not have permission");
  checkScope(reader, "user_update", names);
  checkScope(SYSTEM, "page_delete", names);
});

test("a permission on all items can be narrowed to own ones", () => {
  expect([...byToken(owner, token(["page-view-own", "book-view-own"])).permissions]).toEqual([
    "access-api",
    "page-view-own",
  ]);
});

test("a narrower credential cannot create a wider token", () => {
  const narrow = byToken(owner, token(["users-manage", "page-view-all"]));
  const draft = { user_id: 5, name: "x" };
  expect(scopeFor(owner, draft)).toEqual({ read_only: false, permissions: null });
  expect(scopeFor(narrow, draft).permissions).toEqual(["page-view-all", "users-manage"]);
  expect(scopeFor(narrow, { ...draft, permissions: ["page-view-all", "settings-manage"] }).permissions).toEqual([
    "page-view-all",
  ]);
});
