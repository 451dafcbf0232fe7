import { denied } from "./errors.ts";

/** Who asks: a user with the union of what the user's roles (or a narrower credential) permit. */
export interface Viewer {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** Ids of the user's roles. */
  readonly roles: readonly number[];
  /** Permission names granted by those roles. */
  readonly permissions: ReadonlySet<string>;
  /**
   * The only permissions a narrower credential may use, where it names any; `permissions` has been cut down to them.
   * Content permissions may grant what no role does, so this is asked for actions on items as well.
   */
  readonly only?: ReadonlySet<string>;
  /** Holds the built-in administrator role: every item is visible and may be changed (platform 2.3, step 5). */
  readonly admin: boolean;
  /** How the viewer was recognised. */
  readonly via: "token" | "session" | "key" | "system" | "guest";
  /** Wished language of texts, such as "de"; the instance's own where absent. */
  readonly language?: string;
}

/** The system itself: jobs, commands and seeds act as it. */
export const SYSTEM: Viewer = {
  id: 0,
  name: "System",
  slug: "system",
  roles: [],
  permissions: new Set(),
  admin: true,
  via: "system",
};

/** Nobody in particular: what routes with `permit: "public"` see when no credential came along. */
export const GUEST: Viewer = {
  id: 0,
  name: "Guest",
  slug: "guest",
  roles: [],
  permissions: new Set(),
  admin: false,
  via: "guest",
};

/**
 * Whether the viewer's roles grant a permission by name; the system itself holds all.
 * @example
 * const mayPrint = hasPermission(viewer, "content-export");
 */
export function hasPermission(viewer: Viewer, permission: string): boolean {
  return viewer.via === "system" || viewer.permissions.has(permission);
}

/**
 * Whether the viewer may use the API at all. Administrators always may: no screen could give them that back where their
 * role has lost it (platform 4 keeps other names for them, since the original has screens).
 * @example
 * if (!mayUseApi(viewer)) throw denied();
 */
export function mayUseApi(viewer: Viewer): boolean {
  return viewer.admin || hasPermission(viewer, "access-api");
}

/**
 * Throws the 403 of the wire contract unless the viewer holds the permission.
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
