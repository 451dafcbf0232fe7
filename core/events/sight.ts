import { sha256 } from "../std/secrets.ts";
import type { Viewer } from "../viewer.ts";

/** Viewers are values that are cached themselves, so each is written once. */
const KNOWN = new WeakMap<Viewer, string>();

/**
 * A text that two viewers share only if they are the same user with the same roles, permissions, scope, kind of credential and
 * language: everything that decides what they see, beside what the store holds.
 */
export function sightOf(viewer: Viewer): string {
  const known = KNOWN.get(viewer);
  if (known !== undefined) return known;
  const { permissions, only, ...plain } = viewer;
  const lists = { permissions: [...permissions].sort(), only: only && [...only].sort() };
  const sight = sha256(JSON.stringify({ ...plain, ...lists }));
  KNOWN.set(viewer, sight);
  return sight;
}
