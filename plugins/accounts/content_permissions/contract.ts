import type { Generated } from "kysely";
import { type Input, rules } from "lectern/core";

/** Overrides as they were set, item by item; what follows from them below is in the access lists. */
export interface EntityPermissionsTable {
  /** Ascending in the order in which the entries were given. */
  id: Generated<number>;
  /** As events spell it: "page", "bookshelf". */
  kind: string;
  item_id: number;
  /** 0 for the fallback, which speaks for all roles without an entry. */
  role_id: number;
  view: boolean;
  create: boolean;
  update: boolean;
  delete: boolean;
}

/** The body of a change (seed, content permissions). */
export const updateRules = rules({
  owner_id: ["int"],
  role_permissions: ["array"],
  "role_permissions.*.role_id": ["required", "int", "exists:roles,id"],
  "role_permissions.*.view": ["required", "boolean"],
  "role_permissions.*.create": ["required", "boolean"],
  "role_permissions.*.update": ["required", "boolean"],
  "role_permissions.*.delete": ["required", "boolean"],
  fallback_permissions: ["nullable"],
  "fallback_permissions.inheriting": ["required_with:fallback_permissions", "boolean"],
  "fallback_permissions.view": ["required_if:fallback_permissions.inheriting,false", "boolean"],
  "fallback_permissions.create": ["required_if:fallback_permissions.inheriting,false", "boolean"],
  "fallback_permissions.update": ["required_if:fallback_permissions.inheriting,false", "boolean"],
  "fallback_permissions.delete": ["required_if:fallback_permissions.inheriting,false", "boolean"],
});

/** What a request was judged to ask for. */
export type PermissionsInput = Input<typeof updateRules>;

/** What an entry allows. */
export interface Allowed {
  readonly view: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/** An entry as it is kept; `role_id` 0 is the fallback. */
export interface Entry extends Allowed {
  readonly role_id: number;
}

/** What is asked for; what is absent stays. */
export interface PermissionsDraft {
  readonly owner_id?: number;
  /** In place of all entries of roles. */
  readonly roles?: readonly Entry[];
  /** In place of the fallback; null for none. */
  readonly fallback?: Allowed | null;
}

/** An item whose overrides are read or changed. */
export interface Item {
  /** As events spell it: "page", "bookshelf". */
  readonly kind: string;
  readonly id: number;
  readonly name: string;
  readonly owned_by: number | null;
  readonly acl_id: number;
}

declare module "lectern/db" {
  interface Tables {
    entity_permissions: EntityPermissionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** Performed even where nothing comes to differ (platform 3). */
    permissions_update: { draft: { item: Item; draft: PermissionsDraft }; result: Item };
  }
}
