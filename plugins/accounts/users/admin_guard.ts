import { type EventTransaction, type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { User, UserChange } from "./contract.ts";

const ACCOUNT = "Only an administrator may change the account of an administrator";
const ROLE = "Only an administrator may give or take the administrators' role";
const IS_ADMIN = sql`roles.system_name = 'admin'`;

type Queries = Pick<EventTransaction["db"], "executeQuery">;

/**
 * The reason why a viewer may not manage a user's account, tokens or sessions; undefined if it may. Users with the system
 * role Admin are managed by other such users alone, since otherwise users-manage would amount to that role (platform 1.2).
 */
export async function guardedAdmin(viewer: Viewer, id: number, { db }: { db: Queries }): Promise<string | undefined> {
  return !viewer.admin && (await hasAdminRole(db, id)) ? ACCOUNT : undefined;
}

/** The same for a new or updated user: the name and language of an administrator may change, credentials and roles may not. */
export async function guardedChange(
  viewer: Viewer,
  { row, draft }: { row?: User; draft: UserChange },
  { db }: { db: Queries },
): Promise<string | undefined> {
  if (viewer.admin) return undefined;
  const isAdmin = row !== undefined && (await hasAdminRole(db, row.id));
  if (draft.roles !== undefined && (await includesAdminRole(db, draft.roles)) !== isAdmin) return ROLE;
  if (!isAdmin) return undefined;
  const { email = row.email, external_auth_id = row.external_auth_id, password_hash } = draft;
  const isSame = email === row.email && external_auth_id === row.external_auth_id && password_hash === undefined;
  return isSame ? undefined : ACCOUNT;
}

function hasAdminRole(db: Queries, id: number): Promise<boolean> {
  return hasRows(
    db,
    sql`select from role_user join roles on roles.id = role_user.role_id where role_user.user_id = ${id} and ${IS_ADMIN}`,
  );
}

/** Compared as float8, so that numbers that are no ids match no role; `checkRoles` answers those. */
function includesAdminRole(db: Queries, ids: readonly number[]): Promise<boolean> {
  return hasRows(db, sql`select from roles where id::float8 = any(${[...ids]}::float8[]) and ${IS_ADMIN}`);
}

async function hasRows(db: Queries, query: RawBuilder<unknown>): Promise<boolean> {
  return (await rows(db, query)).length > 0;
}
