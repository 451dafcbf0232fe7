/**
 * The writes of the events of roles, and the permissions that the role Admin gets at each boot. Conditions that may change
 * between the request and its transaction are checked within the transaction. Unknown permission names are dropped.
 */
import { ApiError, type EventTransaction, rejectControlCharacters, sql } from "lectern/core";
import type { Db, Executor } from "lectern/db";
import type { Role, RoleChange, RoleDraft } from "./contract.ts";
import { ADMIN_NAMES, knownNames } from "./permission_names.ts";
import { findRole } from "./queries.ts";

/** Stores a new role with its permissions; unknown ones are dropped. */
export async function insertRole(
  draft: RoleDraft,
  known: ReadonlySet<string>,
  { db }: EventTransaction,
): Promise<Role> {
  const { permissions = [], display_name, ...more } = draft;
  rejectControlCharacters({ display_name });
  const { id } = await db
    .insertInto("roles")
    .values({ display_name, ...more })
    .returning("id")
    .executeTakeFirstOrThrow();
  await grant(db, id, knownNames(texts(permissions), known));
  return reread(db, id);
}

/** Updates the fields of the draft. A list of permissions replaces all, but those in ADMIN_NAMES stay with the role Admin. */
export async function changeRole(
  id: number,
  draft: RoleChange,
  known: ReadonlySet<string>,
  { db }: EventTransaction,
): Promise<Role> {
  const { permissions, ...more } = draft;
  rejectControlCharacters({ display_name: more.display_name });
  const role = await db.selectFrom("roles").select("system_name").where("id", "=", id).forUpdate().executeTakeFirst();
  if (!role) throw new ApiError(404, "Role not found");
  if (Object.keys(draft).length > 0) {
    await db
      .updateTable("roles")
      .set({ ...more, updated_at: sql<string>`now()` })
      .where("id", "=", id)
      .execute();
  }
  if (permissions !== undefined) {
    const fixed = role.system_name === "admin" ? ADMIN_NAMES : [];
    await db.deleteFrom("role_permissions").where("role_id", "=", id).execute();
    await grant(db, id, knownNames([...texts(permissions), ...fixed], known));
  }
  return reread(db, id);
}

/** Deletes a role; its members lose it. Throws the 500 of the contract for a role that cannot be deleted (platform 4). */
export async function removeRole(role: Role, registrationRole: number, { db }: EventTransaction): Promise<void> {
  if (role.system_name !== "") throw new ApiError(500, "This role is a system role and cannot be deleted");
  if (role.id === registrationRole) {
    throw new ApiError(500, "This role cannot be deleted while set as the default registration role");
  }
  await db.deleteFrom("roles").where("id", "=", role.id).execute();
}

/** Adds the members of a role to another role (platform 4). */
export async function addMembers(from: number, to: number, { db }: EventTransaction): Promise<void> {
  await db
    .insertInto("role_user")
    .columns(["user_id", "role_id"])
    .expression((eb) =>
      eb
        .selectFrom("role_user")
        .select(["user_id", sql<number>`${to}::integer`.as("role_id")])
        .where("role_id", "=", from),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Grants the role Admin every permission name that was not known at the last boot, such as those of a new plugin. */
export async function grantAdmin(known: ReadonlySet<string>, { db }: EventTransaction): Promise<void> {
  const names = sql<{ name: string }>`unnest(${[...known].sort()}::text[])`;
  await db
    .with("fresh", (cte) =>
      cte
        .insertInto("permission_names")
        .columns(["name"])
        .expression((eb) => eb.selectFrom(names.as<"given">(sql`given(name)`)).select("given.name"))
        .onConflict((conflict) => conflict.doNothing())
        .returning("name"),
    )
    .insertInto("role_permissions")
    .columns(["role_id", "name"])
    .expression((eb) =>
      eb
        .selectFrom("roles")
        .crossJoin("fresh")
        .select(["roles.id", "fresh.name"])
        .where("roles.system_name", "=", "admin"),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function grant(db: Db, role_id: number, names: readonly string[]): Promise<void> {
  if (names.length > 0)
    await db
      .insertInto("role_permissions")
      .values(names.map((name) => ({ role_id, name })))
      .execute();
}

async function reread(db: Executor, id: number): Promise<Role> {
  const role = await findRole.executeTakeFirst(db, { id });
  if (!role) throw new ApiError(404, "Role not found");
  return role;
}

/** The texts of a list, which bodies may also contain as an object with numeric keys. */
function texts(list: unknown): string[] {
  return Object.values(Object(list)).filter((item) => typeof item === "string");
}

/** Takes permissions that no plugin adds any more from all roles. */
export async function forgetNames(db: Db, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await db
    .deleteFrom("role_permissions")
    .where("name", "in", [...names])
    .execute();
  await db
    .deleteFrom("permission_names")
    .where("name", "in", [...names])
    .execute();
}
