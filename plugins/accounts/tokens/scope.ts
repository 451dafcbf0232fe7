/**
 * Tokens with fewer permissions than their user. At every request, the permissions of the scope are intersected with those of
 * the user, so the token never has more than the user, whatever happens to the user's roles. Content permissions can
 * permit single items to a role without any permission by name; so the contract `access` and every event of content check
 * the scope again, and a token whose scope has no permission on pages can neither read nor change any.
 */
import { denied, frozenViewer, hasPermission, narrowedViewer, type Viewer } from "lectern/core";
import type { ApiTokenDraft, TokenScope } from "./contract.ts";
import type { CachedToken } from "./token_cache.ts";

const BY_TOKEN = new WeakMap<Viewer, Viewer>();
const NARROWED = new WeakMap<CachedToken, { from: Viewer; viewer: Viewer }>();
/** Permissions that a move needs, as it deletes an item in one place and creates it in another (platform 2.6). */
const MOVE_ACTIONS = ["create", "update", "delete"];

/** The viewer of a token: always the same object, so that values cached by viewer are found again. */
export function byToken(viewer: Viewer, token: CachedToken): Viewer {
  if (token.only) return narrowed(viewer, token, token.only);
  const cached = BY_TOKEN.get(viewer) ?? frozenViewer({ ...viewer, via: "token" });
  BY_TOKEN.set(viewer, cached);
  return cached;
}

function narrowed(from: Viewer, token: CachedToken, only: ReadonlySet<string>): Viewer {
  const cached = NARROWED.get(token);
  if (cached?.from === from) return cached.viewer;
  const viewer = narrowedViewer({ ...from, via: "token" }, only);
  NARROWED.set(token, { from, viewer });
  return viewer;
}

/** The scope of a token that a viewer creates: a narrower credential cannot create a wider one. */
export function scopeFor(viewer: Viewer, draft: ApiTokenDraft): TokenScope {
  const { read_only = false, permissions = null } = draft;
  const { only } = viewer;
  if (!only) return { read_only, permissions };
  return { read_only, permissions: permissions ? permissions.filter((name) => only.has(name)) : [...only].sort() };
}

/** Throws 403 if an event changes content and the viewer's scope lacks the permission. */
export function checkScope(viewer: Viewer, event: string, kinds: readonly string[]): void {
  if (!viewer.only) return;
  const kind = kinds.find((name) => event.startsWith(`${name}_`));
  if (kind === undefined) return;
  const verb = event.slice(kind.length + 1);
  const needed = verb === "move" ? MOVE_ACTIONS : [verb === "create" || verb === "delete" ? verb : "update"];
  if (!needed.every((action) => has(viewer, kind, action))) throw denied();
}

function has(viewer: Viewer, kind: string, action: string): boolean {
  return hasPermission(viewer, `${kind}-${action}-all`) || hasPermission(viewer, `${kind}-${action}-own`);
}
