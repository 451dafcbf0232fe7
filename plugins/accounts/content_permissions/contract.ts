/**
 * What the plugin of content permissions declares: its table, the body and the answers of its routes, its event, and what its
 * files share. The permissions of an item are entries of roles and a fallback for all other roles (platform 3).
 */
import type { Generated } from "kysely";
import {
  type Input,
  idSchema,
  listOf,
  nullable,
  type PluginContext,
  personSchema,
  rules,
  type Static,
  t,
} from "lectern/core";

/** Overrides as set on each item. What items inherit is in the access lists (plugin "access"). */
export interface EntityPermissionsTable {
  /** Ascends in the order in which the entries were sent. */
  id: Generated<number>;
  /** The kind as event names spell it: "page", "bookshelf". */
  kind: string;
  item_id: number;
  /** 0 for the fallback, which applies to all roles without an entry. */
  role_id: number;
  view: boolean;
  create: boolean;
  update: boolean;
  delete: boolean;
}

/** Rules of an update's body (seed, content permissions). */
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

/** A validated body. */
export type PermissionsInput = Input<typeof updateRules>;

/** The actions that an entry allows. */
export interface Allowed {
  readonly view: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/** The override for one role; `role_id` 0 is the fallback. */
export interface Entry extends Allowed {
  readonly role_id: number;
}

/** A change of overrides; absent fields stay unchanged. */
export interface PermissionsDraft {
  readonly owner_id?: number;
  /** Replaces all entries of roles. */
  readonly roles?: readonly Entry[];
  /** Replaces the fallback; null removes it. */
  readonly fallback?: Allowed | null;
}

/** An item whose overrides are read or changed. */
export interface Item {
  /** The kind as event names spell it: "page", "bookshelf". */
  readonly kind: string;
  readonly id: number;
  readonly name: string;
  readonly owned_by: number | null;
  readonly acl_id: number;
}

/** How many books of a shelf got its overrides, and how many of those that the viewer sees they may not manage. */
export interface CopiedPermissions {
  readonly copied: number;
  readonly skipped: number;
}

/** The members of the context that the files of this plugin share. */
export type ContentPermissionsContext = Pick<
  PluginContext<"access" | "users", "entity_permissions" | "acl" | "roles" | "users">,
  "app" | "contracts" | "db" | "perform" | "slot" | "validate" | "visible"
>;

const roleRef = t.Object({ id: idSchema, display_name: t.String() }, { $id: "RoleRef" });
const verbs = { view: t.Boolean(), create: t.Boolean(), update: t.Boolean(), delete: t.Boolean() };
const flag = nullable(t.Boolean());

/** The permissions of an item (platform 3). */
export const contentPermissionsSchema = t.Object(
  {
    owner: personSchema,
    role_permissions: listOf(t.Object({ role_id: idSchema, ...verbs, role: roleRef })),
    fallback_permissions: t.Object({
      inheriting: t.Boolean({ description: "If true, the others are null" }),
      ...{ view: flag, create: flag, update: flag, delete: flag },
    }),
  },
  { $id: "ContentPermissions" },
);

/** The roles that items can have permissions for. */
export const grantableRolesSchema = t.Object(
  { data: t.Array(roleRef), total: t.Integer({ minimum: 0 }) },
  { $id: "GrantableRoles" },
);

/** What a copy of a shelf's overrides to its books answers. */
export const copiedPermissionsSchema = t.Object(
  { copied: t.Integer({ minimum: 0 }), skipped: t.Integer({ minimum: 0 }) },
  { $id: "CopiedPermissions" },
);

declare module "lectern/contracts" {
  interface Answers {
    [copied: `POST /api/content-permissions/bookshelf/${number}/copy-to-books`]: Static<typeof copiedPermissionsSchema>;
    "/api/content-permissions/roles": Static<typeof grantableRolesSchema>;
    [permissions: `/api/content-permissions/${string}/${number}`]: Static<typeof contentPermissionsSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    entity_permissions: EntityPermissionsTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** Performed even if nothing changes (platform 3). */
    permissions_update: { draft: { item: Item; draft: PermissionsDraft }; result: Item };
    /** The overrides of a shelf are copied to its books; `permissions_update` is performed within for each. */
    permissions_copy: { draft: Item; result: CopiedPermissions };
  }
}
