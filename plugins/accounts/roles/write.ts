import { ApiError, type EventTransaction, rejectControlCharacters, sql } from "lectern/core";
import type { Db } from "lectern/db";
import type { Role, RoleChange, RoleDraft } from "./contract.ts";
import { ADMIN_NAMES, knownNames } from "./names.ts";
import { readRole } from "./read.ts";

/** Stores a new role with those of its permissions that are known. */
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
  return stored(db, id);
}

/** Changes what the draft names; a list of permissions replaces all, less what an administrator cannot lose. */
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
    const kept = role.system_name === "admin" ? ADMIN_NAMES : [];
    await db.deleteFrom("role_permissions").where("role_id", "=", id).execute();
    await grant(db, id, knownNames([...texts(permissions), ...kept], known));
  }
  return stored(db, id);
}

/** Removes a role; its members lose it. Throws the 500 of the contract for a role that must stay (platform 4). */
export async function removeRole(role: Role, registrationRole: number, { db }: EventTransaction): Promise<void> {
  if (role.system_name !== "") throw new ApiError(500, "This role is a system role and cannot be deleted");
  if (role.id === registrationRole) {
    throw new ApiError(500, "This role cannot be deleted while set as the default registration role");
  }
  await db.deleteFrom("roles").where("id", "=", role.id).execute();
}

/** Gives the members of a role another one, which keeps its own (platform 4). */
export async function addMembers(from: number, to: number, { db }: EventTransaction): Promise<void> {
  await sql`insert into role_user (user_id, role_id) select user_id, ${to}::integer from role_user
    where role_id = ${from} on conflict do nothing`.execute(db);
}

/** Gives the administrator's role every name that was not known before, such as those of a plugin that is new. */
export async function grantAdmin(known: ReadonlySet<string>, { db }: EventTransaction): Promise<void> {
  await sql`with fresh as (
      insert into permission_names (name) select * from unnest(${[...known].sort()}::text[])
      on conflict do nothing returning name)
    insert into role_permissions (role_id, name) select roles.id, fresh.name from roles cross join fresh
    where roles.system_name = 'admin' on conflict do nothing`.execute(db);
}

async function grant(db: Db, role_id: number, names: readonly string[]): Promise<void> {
  if (names.length > 0)
    await db
      .insertInto("role_permissions")
      .values(names.map((name) => ({ role_id, name })))
      .execute();
}

async function stored(db: Db, id: number): Promise<Role> {
  const role = await readRole(db, sql`roles.id = ${id}`);
  if (!role) throw new ApiError(404, "Role not found");
  return role;
}

/** A list may come as an object with numbers for keys. */
function texts(list: unknown): string[] {
  return Object.values(list as object).filter((item) => typeof item === "string");
}
