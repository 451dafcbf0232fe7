/**
 * What the events of users do to the store. Whatever may change between the request and its transaction is asked in the
 * transaction: whether an address is taken, whether roles exist, whether somebody else is an administrator. Passwords
 * arrive here hashed.
 */
import { ApiError, type EventTransaction, rejectControlCharacters, sql, uniqueSlug } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";
import { checkRoles, invalidField, isEmailTaken, isOnlyAdmin, mayTakeOver } from "./checks.ts";
import type { User, UserChange, UserDraft } from "./contract.ts";
import { endLinks } from "./links.ts";
import { readUser } from "./read.ts";

const LAST_ADMIN =
  "This user is the only user assigned to the administrator role. " +
  "Assign the administrator role to another user before attempting to remove it here.";

/** Stores a new user. Throws 422 for a taken address or unknown roles. */
export async function insertUser(draft: UserDraft, { db }: EventTransaction): Promise<User> {
  const { name, email, external_auth_id = "", language = "", password_hash = "", roles = [] } = draft;
  rejectControlCharacters({ name });
  await checkEmail(db, email);
  await checkRoles(db, roles);
  const slug = await uniqueSlug(name, (wanted) => isSlugTaken(db, wanted, 0));
  const { id } = await db
    .insertInto("users")
    .values({ name, email, slug, external_auth_id, language, password: password_hash })
    .returning("id")
    .executeTakeFirstOrThrow();
  await giveRoles(db, id, roles);
  return stored(db, id);
}

/** Changes what the draft names. Throws 422 as above, and 500 when the last administrator would lose the role. */
export async function changeUser(id: number, draft: UserChange, { db }: EventTransaction): Promise<User> {
  const { system_name } = await lock(db, id);
  const { roles, password_hash, name, ...more } = draft;
  rejectControlCharacters({ name });
  if (system_name === "public") await keepGuest(db, id, draft);
  if (more.email !== undefined) await checkEmail(db, more.email, id);
  const slug =
    name === undefined ? {} : { name, slug: await uniqueSlug(name, (wanted) => isSlugTaken(db, wanted, id)) };
  const password = password_hash === undefined ? {} : { password: password_hash };
  if (Object.keys(draft).length > 0) {
    await db
      .updateTable("users")
      .set({ ...more, ...slug, ...password, updated_at: sql<string>`now()` })
      .where("id", "=", id)
      .execute();
  }
  if (roles !== undefined) await replaceRoles(db, id, roles);
  // Whoever reads mail at an address of old, or finds an old message, must not choose the password of today.
  if (more.email !== undefined || password_hash !== undefined) await endLinks(db, id);
  return stored(db, id);
}

/**
 * Removes a user; what the user owned goes to the heir, authors and editors become unknown (platform 5.4). `tables`
 * hold the content. Throws the 500 of the contract for users that must stay.
 */
export async function removeUser(
  id: number,
  heir: number | null,
  tables: readonly TableName[],
  { db }: EventTransaction,
): Promise<void> {
  const { system_name } = await lock(db, id);
  if (heir !== null && !(await mayTakeOver(db, heir, id)))
    throw invalidField("migrate_ownership_id", "The selected migrate ownership id is invalid.");
  if (await isOnlyAdmin(db, id)) throw new ApiError(500, "You cannot delete the only admin");
  if (system_name === "public") throw new ApiError(500, "You cannot delete the guest user");
  for (const table of tables) await handOver(db, table, id, heir);
  await db.deleteFrom("users").where("id", "=", id).execute();
}

/** The guest is nobody who signs in, and what visitors may is said by the role Public alone (platform 1.5). */
async function keepGuest(db: Db, id: number, { roles, password_hash }: UserChange): Promise<void> {
  if (password_hash !== undefined) throw invalidField("password", "The guest user has no password.");
  if (roles === undefined) return;
  const held = await db.selectFrom("role_user").select("role_id").where("user_id", "=", id).execute();
  const present = new Set(held.map(({ role_id }) => role_id));
  if (present.size !== new Set(roles).size || !roles.every((role) => present.has(role)))
    throw invalidField("roles", "The roles of the guest user cannot be changed.");
}

async function lock(db: Db, id: number): Promise<{ system_name: string }> {
  const user = await db.selectFrom("users").select("system_name").where("id", "=", id).forUpdate().executeTakeFirst();
  if (!user) throw new ApiError(404, "User not found");
  return user;
}

async function stored(db: Db, id: number): Promise<User> {
  const user = await readUser(db, sql`users.id = ${id}`);
  if (!user) throw new ApiError(404, "User not found");
  return user;
}

async function checkEmail(db: Db, email: string, except?: number): Promise<void> {
  if (await isEmailTaken(db, email, except)) throw invalidField("email", "The email has already been taken.");
}

async function isSlugTaken(db: Db, slug: string, except: number): Promise<boolean> {
  return (await rows(db, sql`select from users where slug = ${slug} and id <> ${except}`)).length > 0;
}

async function giveRoles(db: Db, id: number, roles: readonly number[]): Promise<void> {
  const values = [...new Set(roles)].map((role_id) => ({ user_id: id, role_id }));
  if (values.length > 0) await db.insertInto("role_user").values(values).execute();
}

async function replaceRoles(db: Db, id: number, roles: readonly number[]): Promise<void> {
  await checkRoles(db, roles);
  const wasOnlyAdmin = await isOnlyAdmin(db, id);
  await db.deleteFrom("role_user").where("user_id", "=", id).execute();
  await giveRoles(db, id, roles);
  if (wasOnlyAdmin && !(await isOnlyAdmin(db, id))) throw new ApiError(500, LAST_ADMIN);
}

async function handOver(db: Db, table: TableName, id: number, heir: number | null): Promise<void> {
  await sql`update ${sql.table(table)} set
    owned_by = case when owned_by = ${id} then ${heir}::integer else owned_by end,
    created_by = nullif(created_by, ${id}), updated_by = nullif(updated_by, ${id})
    where owned_by = ${id} or created_by = ${id} or updated_by = ${id}`.execute(db);
}
