import { ApiError, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

const MAX_ID = 2_147_483_647;

/** Whether a number can be an id at all, so that the store may be asked for it. */
export function isId(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= MAX_ID;
}

/** The 422 of the wire contract for one field. */
export function invalidField(field: string, message: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { [field]: [message] } });
}

/** Whether another user than `except` has an e-mail address, without regard to case. */
export async function isEmailTaken(db: Pick<Db, "executeQuery">, email: string, except = 0): Promise<boolean> {
  const found = await rows(db, sql`select from users where lower(email) = lower(${email}) and id <> ${except}`);
  return found.length > 0;
}

/** Throws 422 unless every id names a role, and keeps those roles from being deleted until the transaction ends. */
export async function checkRoles(db: Db, ids: readonly number[]): Promise<void> {
  const asked = ids.filter(isId);
  const found = await rows(
    db,
    sql<{ id: number }>`select id from roles where id = any(${asked}::integer[]) for key share`,
  );
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw invalidField(`roles.${unknown}`, `The selected roles.${unknown} is invalid.`);
}

/** Whether the id is that of another user than `leaving`, who may own what that one owned. */
export async function mayTakeOver(db: Pick<Db, "executeQuery">, id: number, leaving: number): Promise<boolean> {
  if (!isId(id) || id === leaving) return false;
  return (await rows(db, sql`select from users where id = ${id}`)).length > 0;
}

/**
 * Whether a user is the only one who has the administrator's role. Locks that role first, so that two administrators
 * cannot remove each other at the same time.
 */
export async function isOnlyAdmin(db: Db, id: number): Promise<boolean> {
  await rows(db, sql`select id from roles where system_name = 'admin' for no key update`);
  const admins = await rows(
    db,
    sql<{ user_id: number }>`select user_id from role_user
    join roles on roles.id = role_user.role_id join users on users.id = role_user.user_id
    where roles.system_name = 'admin' and users.system_name = '' order by user_id <> ${id} limit 2`,
  );
  return admins.length === 1 && admins[0]?.user_id === id;
}
