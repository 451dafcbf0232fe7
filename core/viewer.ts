/**
 * Viewers: on whose behalf something is done. A viewer is a value, made once per user and credential and cached, so that other
 * caches use it as a key. As whom a plugin may act is decided in `runtime/acting.ts`, what a viewer may do by permissions and the
 * contract `access`.
 */
import { denied } from "./errors.ts";
import { deepFreeze, FrozenSet } from "./std/freeze.ts";

/** The user on whose behalf something is done, with the permissions of all roles, or of a narrower credential. */
export interface Viewer {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** Ids of the user's roles. */
  readonly roles: readonly number[];
  /** Permission names granted by those roles. */
  readonly permissions: ReadonlySet<string>;
  /**
   * The only permissions that a narrower credential may use, if it names any; `permissions` holds no others. It also applies
   * to actions on items, since permissions of an item may grant what no role does.
   */
  readonly only?: ReadonlySet<string>;
  /** Has the built-in administrator role: every item is visible and may be changed (platform 2.3, step 5). */
  readonly admin: boolean;
  /** How the viewer was recognised. */
  readonly via: "token" | "session" | "key" | "system" | "guest";
  /** The preferred language of texts, such as "de"; that of the instance if absent. */
  readonly language?: string;
  /** The time zone that screens show times in, such as "Europe/Berlin"; that of the browser if absent. */
  readonly timeZone?: string;
  /** Path of the picture that the user has uploaded, below the base URL; absent if there is none. */
  readonly picture?: string;
}

/** Runs a function as a viewer. Throws for a viewer as whom the caller may not act. */
export type ActAs = <R>(viewer: Viewer, run: () => R) => R;

const FROZEN = new WeakSet<Viewer>();
/** Copies of viewers that were frozen by others before, with sets that were not. */
const COPIES = new WeakMap<Viewer, Viewer>();

/**
 * Freezes a viewer with its lists and sets: viewers are cached and given to every plugin, and whoever could change one would
 * change what its user may do. Returns the same object; a copy, always the same, of one that was frozen before without its sets.
 * @example
 * const visitor = frozenViewer({ ...GUEST, name: "Visitor", permissions: new Set(["content-export"]) });
 */
export function frozenViewer(viewer: Viewer): Viewer {
  if (FROZEN.has(viewer)) return viewer;
  const { permissions, only } = viewer;
  const known = COPIES.get(viewer);
  if (known) return known;
  const sets = {
    permissions: frozenSet(permissions),
    ...(only && { only: frozenSet(only) }),
    roles: [...viewer.roles],
  };
  const frozen = Object.freeze(Object.isFrozen(viewer) ? { ...viewer, ...sets } : Object.assign(viewer, sets));
  deepFreeze(frozen);
  if (frozen !== viewer) COPIES.set(viewer, frozen);
  FROZEN.add(frozen);
  return frozen;
}

/**
 * A viewer with no more than the named permissions, such as that of a token with a scope: those of them that the user has, and
 * that of the API. One on all items includes own ones (platform 2.3, step 3); the built-in administrator role counts no more.
 * @example
 * const reader = narrowedViewer(viewer, new Set(["page-view-all"]));
 */
export function narrowedViewer(from: Viewer, only: ReadonlySet<string>): Viewer {
  const has = (name: string) => from.permissions.has(name) || from.permissions.has(name.replace(/-own$/, "-all"));
  return frozenViewer({ ...from, permissions: new Set(["access-api", ...only].filter(has)), only, admin: false });
}

function frozenSet(set: ReadonlySet<string>): ReadonlySet<string> {
  return set instanceof FrozenSet ? set : new FrozenSet(set);
}

/** The system: the viewer of jobs, commands and seeds. */
export const SYSTEM: Viewer = frozenViewer({
  id: 0,
  name: "System",
  slug: "system",
  roles: [],
  permissions: new Set(),
  admin: true,
  via: "system",
});

/** The viewer of a request without credentials, at routes with `permit: "public"`. */
export const GUEST: Viewer = frozenViewer({
  id: 0,
  name: "Guest",
  slug: "guest",
  roles: [],
  permissions: new Set(),
  admin: false,
  via: "guest",
});

/** Languages of one viewer that are kept; guests and tokens may ask for any. */
const MAX_LANGUAGES = 50;
const BY_LANGUAGE = new WeakMap<Viewer, Map<string, Viewer>>();
const ORIGINS = new WeakMap<Viewer, Viewer>();

/**
 * A viewer with another preferred language: the same object each time, since other code caches by viewer. It is the same user,
 * so a plugin that may act as the one may act as the other.
 * @example
 * const german = inLanguage(viewer, "de");
 */
export function inLanguage(viewer: Viewer, language: string): Viewer {
  if (viewer === GUEST || viewer.language === language) return viewer;
  const known = BY_LANGUAGE.get(viewer) ?? new Map<string, Viewer>();
  const found = known.get(language) ?? frozenViewer({ ...viewer, language });
  if (known.size >= MAX_LANGUAGES && !known.has(language)) known.clear();
  BY_LANGUAGE.set(viewer, known.set(language, found));
  ORIGINS.set(found, viewer);
  return found;
}

/** The viewer that `inLanguage` was given; undefined for one that it did not make. */
export function originOf(viewer: Viewer): Viewer | undefined {
  return ORIGINS.get(viewer);
}

/**
 * Whether the viewer has a permission; the system has all.
 * @example
 * const mayPrint = hasPermission(viewer, "content-export");
 */
export function hasPermission(viewer: Viewer, permission: string): boolean {
  return viewer.via === "system" || viewer.permissions.has(permission);
}

/**
 * Whether the viewer may use the API. Administrators always may: if their role lost the permission, they could not grant it
 * again (platform 4).
 * @example
 * if (!mayUseApi(viewer)) throw denied();
 */
export function mayUseApi(viewer: Viewer): boolean {
  return viewer.admin || hasPermission(viewer, "access-api");
}

/**
 * Throws the 403 of the wire contract unless the viewer has the permission.
 * @example
 * requirePermission(viewer, "settings-manage");
 */
export function requirePermission(viewer: Viewer, permission: string): void {
  if (!hasPermission(viewer, permission)) throw denied();
}

/**
 * The user id to record as author or owner; null for the system, which is no user.
 * @example
 * await tx.db.updateTable("notes").set({ updated_by: authorOf(viewer) }).where("id", "=", 1).execute();
 */
export function authorOf(viewer: Viewer): number | null {
  return viewer.id === 0 ? null : viewer.id;
}
