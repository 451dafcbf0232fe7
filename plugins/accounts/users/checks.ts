import { ApiError, denied, hasPermission, idOf, notFound, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";

const MAX_ID = 2_147_483_647;

/** Whether a number is in the range of ids (a positive int4), so that it can be compared with an id column. */
export function isId(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= MAX_ID;
}

/** The 422 of the wire contract for one field. */
export function invalidField(field: string, message: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { [field]: [message] } });
}

/** Whether a user other than `except` has an e-mail address, compared case-insensitively. */
export async function isEmailTaken(db: Pick<Db, "executeQuery">, email: string, except = 0): Promise<boolean> {
  const found = await rows(db, sql`select from users where lower(email) = lower(${email}) and id <> ${except}`);
  return found.length > 0;
}

/** Throws 422 unless every id is that of a role, and locks these roles against deletion until the transaction ends. */
export async function checkRoles(db: Db, ids: readonly number[]): Promise<void> {
  const valid = ids.filter(isId);
  const found = await rows(
    db,
    sql<{ id: number }>`select id from roles where id = any(${valid}::integer[]) for key share`,
  );
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw invalidField(`roles.${unknown}`, `The selected roles.${unknown} is invalid.`);
}

/** Whether `id` is a user other than the deleted one, who can become the owner of its items. */
export async function mayTakeOver(db: Pick<Db, "executeQuery">, id: number, deleted: number): Promise<boolean> {
  if (!isId(id) || id === deleted) return false;
  return (await rows(db, sql`select from users where id = ${id}`)).length > 0;
}

/** The id of a user whose tokens and sessions a viewer may manage; see `Users.manageableUser`. Throws 403, then 404. */
export async function manageableUser(db: Pick<Db, "executeQuery">, viewer: Viewer, param: string): Promise<number> {
  const isSelf = param === String(viewer.id) && viewer.via !== "guest" && !viewer.only;
  if (!isSelf && !hasPermission(viewer, "users-manage")) throw denied();
  const id = idOf(param, "User");
  if ((await rows(db, sql`select from users where id = ${id}`)).length === 0) throw notFound("User");
  return id;
}

/**
 * Whether a user is the only one with the system role Admin. Locks that role first, so that two administrators cannot
 * remove each other concurrently.
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
