/**
 * Tokens that may do less than their owner. What such a token names is cut with what the owner has, at every request, so
 * it is never wider, whatever happens to the owner's roles. Content permissions may open single items to a role that
 * holds no permission by name; for those the contract `access` asks the scope again, and so does every event about
 * content, so a token without a word about pages sees and changes none.
 */
import { denied, hasPermission, type Viewer } from "lectern/core";
import type { ApiTokenDraft, TokenScope } from "./contract.ts";
import type { KnownToken } from "./token_cache.ts";

const BY_TOKEN = new WeakMap<Viewer, Viewer>();
const NARROWED = new WeakMap<KnownToken, { from: Viewer; viewer: Viewer }>();
/** A move takes an item away in one place and brings it into another (platform 2.6). */
const MOVING = ["create", "update", "delete"];
/** What a token may always do, having got this far. */
const ALWAYS = "access-api";

/** The viewer as a token makes one: always the same, so that what is kept for a viewer is found again. */
export function byToken(viewer: Viewer, token: KnownToken): Viewer {
  if (token.only) return narrowed(viewer, token, token.only);
  const known = BY_TOKEN.get(viewer) ?? { ...viewer, via: "token" as const };
  BY_TOKEN.set(viewer, known);
  return known;
}

function narrowed(from: Viewer, token: KnownToken, only: ReadonlySet<string>): Viewer {
  const known = NARROWED.get(token);
  if (known?.from === from) return known.viewer;
  const permissions = new Set([ALWAYS, ...only].filter((name) => holdsPart(from, name)));
  const viewer: Viewer = { ...from, via: "token", permissions, only, admin: false };
  NARROWED.set(token, { from, viewer });
  return viewer;
}

/** Whether the owner holds a permission; who holds one on all items holds it on own ones (platform 2.3, step 3). */
function holdsPart({ permissions }: Viewer, name: string): boolean {
  return permissions.has(name) || permissions.has(name.replace(/-own$/, "-all"));
}

/** The scope of a token that a viewer makes: a narrower credential cannot make a wider one. */
export function scopeFor(viewer: Viewer, draft: ApiTokenDraft): TokenScope {
  const { read_only = false, permissions = null } = draft;
  const { only } = viewer;
  if (!only) return { read_only, permissions };
  return { read_only, permissions: permissions ? permissions.filter((name) => only.has(name)) : [...only].sort() };
}

/** Throws 403 where an event changes content in a way the viewer's scope does not name. */
export function checkScope(viewer: Viewer, event: string, kinds: readonly string[]): void {
  if (!viewer.only) return;
  const kind = kinds.find((name) => event.startsWith(`${name}_`));
  if (kind === undefined) return;
  const verb = event.slice(kind.length + 1);
  const needed = verb === "move" ? MOVING : [verb === "create" || verb === "delete" ? verb : "update"];
  if (!needed.every((action) => has(viewer, kind, action))) throw denied();
}

function has(viewer: Viewer, kind: string, action: string): boolean {
  return hasPermission(viewer, `${kind}-${action}-all`) || hasPermission(viewer, `${kind}-${action}-own`);
}
