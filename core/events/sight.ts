import { sha256 } from "../std/secrets.ts";
import type { Viewer } from "../viewer.ts";

/** Viewers are values that are cached themselves, so each is written once. */
const KNOWN = new WeakMap<Viewer, string>();
const GROUPS = new WeakMap<Viewer, string>();

/**
 * A text that two viewers share only if they are the same user with the same roles, permissions, scope, kind of credential and
 * language: everything that decides what they see, beside what the store holds.
 */
export function sightOf(viewer: Viewer): string {
  const known = KNOWN.get(viewer);
  if (known !== undefined) return known;
  const { permissions, only, ...plain } = viewer;
  const lists = { permissions: [...permissions].sort(), only: only && [...only].sort() };
  const sight = shortHash({ ...plain, ...lists });
  KNOWN.set(viewer, sight);
  return sight;
}

/** A text that two viewers share who have the same roles, permissions and scope: they see the same items, but for those that either owns. */
export function groupOf(viewer: Viewer): string {
  const known = GROUPS.get(viewer);
  if (known !== undefined) return known;
  const { roles, permissions, only, admin, via } = viewer;
  const facts = [[...roles].sort(), [...permissions].sort(), only && [...only].sort(), admin, via === "system"];
  const group = shortHash(facts);
  GROUPS.set(viewer, group);
  return group;
}

/** 128 bits: two values never share them, and keys that hold them are compared often. */
function shortHash(value: object): string {
  return sha256(JSON.stringify(value)).slice(0, 32);
}
