import { denied, hasPermission, idOf, invalidFields, notFound, sql, type Viewer } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

const MAX_ID = 2_147_483_647;

const findEmail = prepared("users.findEmail", (db, p: { email: string; except: number }) =>
  db
    .selectFrom("users")
    .where((eb) => eb(eb.fn<string>("lower", ["email"]), "=", sql<string>`lower(${p.email})`))
    .where("id", "<>", p.except),
);

const lockRoles = prepared("users.lockRoles", (db, p: { ids: readonly number[] }) =>
  db.selectFrom("roles").select("id").where("id", "=", sql<number>`any(${p.ids}::integer[])`).forKeyShare(),
);

const findId = prepared("users.findId", (db, p: { id: number }) =>
  db.selectFrom("users").select("id").where("id", "=", p.id),
);

const lockAdminRole = prepared("users.lockAdminRole", (db) =>
  db.selectFrom("roles").select("id").where("system_name", "=", sql.lit("admin")).forNoKeyUpdate(),
);

/** At most two administrators, first the user with the id if it is one. */
const readAdmins = prepared("users.readAdmins", (db, p: { id: number }) =>
  db
    .selectFrom("role_user")
    .innerJoin("roles", "roles.id", "role_user.role_id")
    .innerJoin("users", "users.id", "role_user.user_id")
    .select("role_user.user_id")
    .where("roles.system_name", "=", sql.lit("admin"))
    .where("users.system_name", "=", sql.lit(""))
    .orderBy((eb) => eb("role_user.user_id", "<>", p.id))
    .limit(sql.lit(2)),
);

/** Whether a number is in the range of ids (a positive int4), so that it can be compared with an id column. */
export function isId(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= MAX_ID;
}

/** Whether a user other than `except` has an e-mail address, compared case-insensitively. */
export async function isEmailTaken(db: Executor, email: string, except = 0): Promise<boolean> {
  return (await findEmail.executeTakeFirst(db, { email, except })) !== undefined;
}

/** Throws 422 unless every id is that of a role, and locks these roles against deletion until the transaction ends. */
export async function checkRoles(db: Executor, ids: readonly number[]): Promise<void> {
  const valid = ids.filter(isId);
  const found = await lockRoles.execute(db, { ids: valid });
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !known.has(id));
  if (unknown >= 0) throw invalidFields({ [`roles.${unknown}`]: `The selected roles.${unknown} is invalid.` });
}

/** Whether `id` is a user other than the deleted one, who can become the owner of its items. */
export async function mayTakeOver(db: Executor, id: number, deleted: number): Promise<boolean> {
  if (!isId(id) || id === deleted) return false;
  return (await findId.executeTakeFirst(db, { id })) !== undefined;
}

/** The id of a user whose tokens and sessions a viewer may manage; see `Users.manageableUser`. Throws 403, then 404. */
export async function manageableUser(db: Executor, viewer: Viewer, param: string): Promise<number> {
  const isSelf = param === String(viewer.id) && viewer.via !== "guest" && !viewer.only;
  if (!isSelf && !hasPermission(viewer, "users-manage")) throw denied();
  const id = idOf(param, "User");
  if (!(await findId.executeTakeFirst(db, { id }))) throw notFound("User");
  return id;
}

/**
 * Whether a user is the only one with the system role Admin. Locks that role first, so that two administrators cannot
 * remove each other concurrently.
 */
export async function isOnlyAdmin(db: Executor, id: number): Promise<boolean> {
  await lockAdminRole.execute(db, {});
  const admins = await readAdmins.execute(db, { id });
  return admins.length === 1 && admins[0]?.user_id === id;
}
