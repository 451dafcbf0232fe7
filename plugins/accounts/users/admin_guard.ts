import { type EventTransaction, type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { User, UserChange } from "./contract.ts";

const ACCOUNT = "Only an administrator may change the account of an administrator";
const ROLE = "Only an administrator may give or take the administrators' role";
const IS_ADMIN = sql`roles.system_name = 'admin'`;

type Queries = Pick<EventTransaction["db"], "executeQuery">;

/**
 * Why a viewer may not manage a user's account, its tokens or its sessions, if so: who holds the system role Admin is
 * managed by such holders alone, or users-manage would be as much as that role (platform 1.2).
 */
export async function guardedAdmin(viewer: Viewer, id: number, { db }: { db: Queries }): Promise<string | undefined> {
  return !viewer.admin && (await holdsAdmin(db, id)) ? ACCOUNT : undefined;
}

/** The same for a new user or a change: names and languages are nobody's secret, what somebody signs in with is. */
export async function guardedChange(
  viewer: Viewer,
  { row, draft }: { row?: User; draft: UserChange },
  { db }: { db: Queries },
): Promise<string | undefined> {
  if (viewer.admin) return undefined;
  const holds = row !== undefined && (await holdsAdmin(db, row.id));
  if (draft.roles !== undefined && (await isAnyAdmin(db, draft.roles)) !== holds) return ROLE;
  if (!holds) return undefined;
  const { email = row.email, external_auth_id = row.external_auth_id, password_hash } = draft;
  const isSame = email === row.email && external_auth_id === row.external_auth_id && password_hash === undefined;
  return isSame ? undefined : ACCOUNT;
}

function holdsAdmin(db: Queries, id: number): Promise<boolean> {
  return isThere(
    db,
    sql`select from role_user join roles on roles.id = role_user.role_id where role_user.user_id = ${id} and ${IS_ADMIN}`,
  );
}

/** Ids that are none name no role; `checkRoles` answers those. */
function isAnyAdmin(db: Queries, ids: readonly number[]): Promise<boolean> {
  return isThere(db, sql`select from roles where id::float8 = any(${[...ids]}::float8[]) and ${IS_ADMIN}`);
}

async function isThere(db: Queries, query: RawBuilder<unknown>): Promise<boolean> {
  return (await rows(db, query)).length > 0;
}
