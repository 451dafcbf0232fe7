import { sql, type Viewer } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import type { User, UserChange } from "./contract.ts";

const ACCOUNT = "Only an administrator may change the account of an administrator";
const ROLE = "Only an administrator may give or take the administrators' role";

const findAdminRole = prepared("users.findAdminRole", (db, p: { id: number }) =>
  db
    .selectFrom("role_user")
    .innerJoin("roles", "roles.id", "role_user.role_id")
    .where("role_user.user_id", "=", p.id)
    .where("roles.system_name", "=", sql.lit("admin")),
);

/** Compares ids as float8, so that numbers that are no ids match no role; `checkRoles` answers those. */
const findAdminAmong = prepared("users.findAdminAmong", (db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("roles")
    .where((eb) => eb(eb.cast<number>("id", sql`float8`), "=", sql<number>`any(${p.ids}::float8[])`))
    .where("roles.system_name", "=", sql.lit("admin")),
);

/**
 * The reason why a viewer may not manage a user's account, tokens or sessions; undefined if it may. Users with the system
 * role Admin are managed by other such users alone, since otherwise users-manage would amount to that role (platform 1.2).
 */
export async function guardedAdmin(viewer: Viewer, id: number, { db }: { db: Executor }): Promise<string | undefined> {
  return !viewer.admin && (await hasAdminRole(db, id)) ? ACCOUNT : undefined;
}

/** The same for a new or updated user: the name and language of an administrator may change, credentials and roles may not. */
export async function guardedChange(
  viewer: Viewer,
  { row, draft }: { row?: User; draft: UserChange },
  { db }: { db: Executor },
): Promise<string | undefined> {
  if (viewer.admin) return undefined;
  const isAdmin = row !== undefined && (await hasAdminRole(db, row.id));
  if (draft.roles !== undefined && (await includesAdminRole(db, draft.roles)) !== isAdmin) return ROLE;
  if (!isAdmin) return undefined;
  const { email = row.email, external_auth_id = row.external_auth_id, password_hash } = draft;
  const isSame = email === row.email && external_auth_id === row.external_auth_id && password_hash === undefined;
  return isSame ? undefined : ACCOUNT;
}

async function hasAdminRole(db: Executor, id: number): Promise<boolean> {
  return (await findAdminRole.executeTakeFirst(db, { id })) !== undefined;
}

async function includesAdminRole(db: Executor, ids: readonly number[]): Promise<boolean> {
  return (await findAdminAmong.executeTakeFirst(db, { ids: [...ids] })) !== undefined;
}
