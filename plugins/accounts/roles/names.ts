/** The names of permissions that roles may hold (platform 2.1); a plugin may add more through its `adds`. */

const ENTITIES = ["bookshelf", "book", "chapter", "page"] as const;
const RELATED = ["image", "attachment", "comment"] as const;
const VIEWING = ["view-all", "view-own"] as const;
const CHANGING = ["create-all", "create-own", "update-all", "update-own", "delete-all", "delete-own"] as const;

/** Permissions that are not about one kind of item. */
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

/** What the administrator's role cannot lose (platform 4). */
export const ADMIN_NAMES = [
  "users-manage",
  "user-roles-manage",
  "restrictions-manage-all",
  "restrictions-manage-own",
  "settings-manage",
] as const;

/** All 62 names of platform 2.1. Clients make roles with them whether or not a plugin serves what they are about. */
export const ALL_NAMES: readonly string[] = [
  ...SYSTEM_NAMES,
  ...named(ENTITIES, [...VIEWING, ...CHANGING]),
  ...named(RELATED, CHANGING),
];

/** What a fresh instance's editors hold (platform 2.2). */
export const EDITOR_NAMES: readonly string[] = [
  ...named(ENTITIES, [...VIEWING, ...CHANGING]),
  ...named(["image"], CHANGING),
  "content-export",
];

/** What a fresh instance's viewers and public visitors hold (platform 2.2). */
export const VIEWER_NAMES: readonly string[] = [...named(ENTITIES, VIEWING), "content-export"];

/** Those of the wanted names that are known, each once, by name; unknown ones are dropped (platform 4). */
export function knownNames(wanted: readonly string[], known: ReadonlySet<string>): string[] {
  return [...new Set(wanted)].filter((name) => known.has(name)).sort();
}

function named(kinds: readonly string[], actions: readonly string[]): string[] {
  return kinds.flatMap((kind) => actions.map((action) => `${kind}-${action}`));
}
