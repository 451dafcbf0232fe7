/**
 * What the plugin of roles declares: its tables, the bodies and answers of its routes, its events and permissions (platform 4).
 * The tables of users and of permissions by role are read by others; only this plugin writes them.
 */
import type { Generated, GeneratedAlways } from "kysely";
import type { ListingOf, UserRef } from "lectern/contracts";
import {
  type Input,
  idSchema,
  listOf,
  nullable,
  type PluginContext,
  type ResourceEvents,
  rules,
  type Static,
  t,
  timesFields,
  userRefSchema,
} from "lectern/core";
import type { SYSTEM_NAMES } from "./permission_names.ts";

/** Roles as stored. */
export interface RolesTable {
  id: Generated<number>;
  display_name: string;
  /** The sort and search key of the name, computed by the store. */
  display_name_key: GeneratedAlways<string>;
  description: string | null;
  /** "admin" and "public" for the two that cannot be deleted, else empty. */
  system_name: Generated<string>;
  external_auth_id: Generated<string>;
  mfa_enforced: Generated<boolean>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** The permissions of roles: one row for each role and permission name. */
export interface RolePermissionsTable {
  role_id: number;
  name: string;
}

/** The roles of users. */
export interface RoleUserTable {
  user_id: number;
  role_id: number;
}

/** A role as answers show it; the result of role_create, role_update and role_delete. */
export interface Role {
  readonly id: number;
  readonly display_name: string;
  readonly description: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly system_name: string;
  readonly external_auth_id: string;
  readonly mfa_enforced: boolean;
  /** Sorted by name. */
  readonly permissions: readonly string[];
  /** Sorted by name. */
  readonly users: readonly UserRef[];
}

/** Rules of a new role (seed, Roles). */
export const createRules = rules({
  display_name: ["required", "string", "min:3", "max:180"],
  description: ["string", "max:180"],
  mfa_enforced: ["boolean"],
  external_auth_id: ["string", "max:180"],
  permissions: ["array"],
  "permissions.*": ["string"],
});

/** Rules of an update: the same, with nothing required. */
export const updateRules = rules({
  display_name: ["string", "min:3", "max:180"],
  description: ["string", "max:180"],
  mfa_enforced: ["boolean"],
  external_auth_id: ["string", "max:180"],
  permissions: ["array"],
  "permissions.*": ["string"],
});

/** The fields of a new role. */
export type RoleDraft = Input<typeof createRules>;
/** The fields of an update; absent ones are unchanged. */
export type RoleChange = Input<typeof updateRules>;

/** The context that the files of this plugin share. */
export type RolesContext = PluginContext<"users", "users" | "roles" | "role_permissions" | "role_user">;

const roleFields = {
  id: idSchema,
  display_name: t.String(),
  description: nullable(t.String()),
  ...timesFields,
  system_name: t.String({ description: '"admin" and "public" for the two that cannot be deleted, else empty' }),
  external_auth_id: t.String(),
  mfa_enforced: t.Boolean(),
};
const role = t.Object(
  { ...roleFields, permissions: listOf(t.String()), users: listOf(userRefSchema) },
  { $id: "Role" },
);

/** The answers about roles (platform 4). */
export const roleAnswers = {
  listed: t.Object(
    { ...roleFields, users_count: t.Integer(), permissions_count: t.Integer() },
    { $id: "RoleListItem" },
  ),
  saved: role,
  read: role,
};

declare module "lectern/contracts" {
  interface SettingValues {
    /** The id of the role of people who register; 0 for none. */
    registration_role: number;
  }
  interface Answers {
    "POST /api/roles": Static<typeof roleAnswers.saved>;
    [roleUpdate: `PUT /api/roles/${number}`]: Static<typeof roleAnswers.saved>;
    "/api/roles": ListingOf<typeof roleAnswers.listed>;
    [role: `/api/roles/${number}`]: Static<typeof roleAnswers.read>;
  }
}

declare module "lectern/db" {
  interface Tables {
    roles: RolesTable;
    role_permissions: RolePermissionsTable;
    role_user: RoleUserTable;
    permission_names: { name: string };
  }
}

declare module "lectern/core" {
  interface Events extends ResourceEvents<"role", RoleDraft, RoleChange, Role> {}
  interface Permissions extends Record<(typeof SYSTEM_NAMES)[number], true> {}
}
