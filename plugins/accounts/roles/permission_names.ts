/** The names of permissions (platform 2.1); plugins declare more in `permissions`. */

const ENTITIES = ["bookshelf", "book", "chapter", "page"] as const;
const RELATED = ["image", "attachment", "comment"] as const;
const VIEWING = ["view-all", "view-own"] as const;
const CHANGING = ["create-all", "create-own", "update-all", "update-own", "delete-all", "delete-own"] as const;

/** Permissions that are not for one kind of item. */
export const SYSTEM_NAMES = [
  "access-api",
  "content-export",
  "content-import",
  "editor-change",
  "receive-notifications",
  "restrictions-manage-all",
  "restrictions-manage-own",
  "revision-view-all",
  "settings-manage",
  "templates-manage",
  "user-roles-manage",
  "users-manage",
] as const;

/** Permissions that cannot be removed from the system role Admin (platform 4). */
export const ADMIN_NAMES = [
  "users-manage",
  "user-roles-manage",
  "restrictions-manage-all",
  "restrictions-manage-own",
  "settings-manage",
] as const;

/** All 62 names of platform 2.1. Clients create roles with them even if no plugin checks the permission. */
export const ALL_NAMES: readonly string[] = [
  ...SYSTEM_NAMES,
  ...combine(ENTITIES, [...VIEWING, ...CHANGING]),
  ...combine(RELATED, CHANGING),
];

/** Permissions of the role Editor on a new instance (platform 2.2). */
export const EDITOR_NAMES: readonly string[] = [
  ...combine(ENTITIES, [...VIEWING, ...CHANGING]),
  ...combine(["image"], CHANGING),
  "content-export",
];

/** Permissions of the roles Viewer and Public on a new instance (platform 2.2). */
export const VIEWER_NAMES: readonly string[] = [...combine(ENTITIES, VIEWING), "content-export"];

/** The known names among the requested ones, sorted and without duplicates; unknown ones are dropped (platform 4). */
export function knownNames(requested: readonly string[], known: ReadonlySet<string>): string[] {
  return [...new Set(requested)].filter((name) => known.has(name)).sort();
}

function combine(kinds: readonly string[], actions: readonly string[]): string[] {
  return kinds.flatMap((kind) => actions.map((action) => `${kind}-${action}`));
}
