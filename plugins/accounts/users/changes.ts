/**
 * The writes of the events of users. Conditions that may change between the request and its transaction are checked within
 * the transaction: whether an e-mail address is taken, roles exist, another administrator exists. Passwords are hashed by
 * the callers.
 */
import { ApiError, type EventTransaction, invalidFields, rejectControlCharacters, sql, uniqueSlug } from "lectern/core";
import { type Db, type Executor, prepared } from "lectern/db";
import { checkRoles, isEmailTaken, isOnlyAdmin, mayTakeOver } from "./checks.ts";
import type { User, UserChange, UserDraft } from "./contract.ts";
import { deleteLinks } from "./links.ts";
import { readUser } from "./queries.ts";
import { unseal } from "./sealed_hash.ts";
import { handOver } from "./transfers.ts";

const LAST_ADMIN =
  "This user is the only user assigned to the administrator role. " +
  "Assign the administrator role to another user before attempting to remove it here.";

/** What is said to the only administrator who wants to delete the own account. */
export const ONLY_ADMIN: ApiError = new ApiError(
  409,
  "You are the only administrator: give the administrators' role to another user first",
);

const findSlug = prepared("users.findSlug", (db, p: { slug: string; except: number }) =>
  db.selectFrom("users").where("slug", "=", p.slug).where("id", "<>", p.except),
);

/** Stores a new user. Throws 422 for a taken e-mail address or unknown roles. */
export async function insertUser(draft: UserDraft, { db }: EventTransaction): Promise<User> {
  const { name, email, external_auth_id = "", language = "", password_hash, roles = [] } = draft;
  rejectControlCharacters({ name });
  await checkEmail(db, email);
  await checkRoles(db, roles);
  const slug = await uniqueSlug(name, (wanted) => isSlugTaken(db, wanted, 0));
  const { id } = await db
    .insertInto("users")
    .values({
      name,
      email,
      slug,
      external_auth_id,
      language,
      password: password_hash === undefined ? "" : unseal(password_hash),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await addRoles(db, id, roles);
  return reread(db, id);
}

/** Updates the fields of the draft but the picture, which a handler stores. Throws 422 as above, and 500 if the last administrator would lose the role. */
export async function changeUser(id: number, draft: UserChange, { db }: EventTransaction): Promise<User> {
  const { system_name } = await lock(db, id);
  const { roles, password_hash, name, image: _, ...more } = draft;
  rejectControlCharacters({ name });
  if (system_name === "public") await checkGuest(db, id, draft);
  if (more.email !== undefined) await checkEmail(db, more.email, id);
  const slug =
    name === undefined ? {} : { name, slug: await uniqueSlug(name, (wanted) => isSlugTaken(db, wanted, id)) };
  const password = password_hash === undefined ? {} : { password: unseal(password_hash) };
  if (Object.keys(draft).length > 0) {
    await db
      .updateTable("users")
      .set({ ...more, ...slug, ...password, updated_at: sql<string>`now()` })
      .where("id", "=", id)
      .execute();
  }
  if (roles !== undefined) await replaceRoles(db, id, roles);
  // Messages at a former address, or sent before the change, must not lead to a new password.
  if (more.email !== undefined || password_hash !== undefined) await deleteLinks(db, id);
  return reread(db, id);
}

/**
 * Deletes a user. The heir becomes the owner of the user's items; as creator and editor the user is replaced by null
 * (platform 5.4), by a job where there are many (`transfers.ts`). Throws the 500 of the contract for users that cannot be deleted,
 * `onlyAdmin` for the only administrator.
 */
export async function removeUser(
  { id, name }: Pick<User, "id" | "name">,
  succession: Parameters<typeof handOver>[1] & { readonly onlyAdmin?: ApiError | undefined },
  tx: EventTransaction,
): Promise<void> {
  const { db } = tx;
  const { heir, onlyAdmin = new ApiError(500, "You cannot delete the only admin") } = succession;
  const { system_name } = await lock(db, id);
  if (heir !== null && !(await mayTakeOver(db, heir, id)))
    throw invalidFields({ migrate_ownership_id: "The selected migrate ownership id is invalid." });
  if (await isOnlyAdmin(db, id)) throw onlyAdmin;
  if (system_name === "public") throw new ApiError(500, "You cannot delete the guest user");
  await handOver({ id, name }, succession, tx);
  await db.deleteFrom("users").where("id", "=", id).execute();
}

/** Throws 422 for a password or other roles: the guest cannot sign in, and the role Public sets its permissions (platform 1.5). */
async function checkGuest(db: Db, id: number, { roles, password_hash }: UserChange): Promise<void> {
  if (password_hash !== undefined) throw invalidFields({ password: "The guest user has no password." });
  if (roles === undefined) return;
  const held = await db.selectFrom("role_user").select("role_id").where("user_id", "=", id).execute();
  const current = new Set(held.map(({ role_id }) => role_id));
  if (current.size !== new Set(roles).size || !roles.every((role) => current.has(role)))
    throw invalidFields({ roles: "The roles of the guest user cannot be changed." });
}

async function lock(db: Db, id: number): Promise<{ system_name: string }> {
  const user = await db.selectFrom("users").select("system_name").where("id", "=", id).forUpdate().executeTakeFirst();
  if (!user) throw new ApiError(404, "User not found");
  return user;
}

async function reread(db: Executor, id: number): Promise<User> {
  const user = await readUser(db, id);
  if (!user) throw new ApiError(404, "User not found");
  return user;
}

async function checkEmail(db: Db, email: string, except?: number): Promise<void> {
  if (await isEmailTaken(db, email, except)) throw invalidFields({ email: "The email has already been taken." });
}

async function isSlugTaken(db: Executor, slug: string, except: number): Promise<boolean> {
  return (await findSlug.executeTakeFirst(db, { slug, except })) !== undefined;
}

async function addRoles(db: Db, id: number, roles: readonly number[]): Promise<void> {
  const values = [...new Set(roles)].map((role_id) => ({ user_id: id, role_id }));
  if (values.length > 0) await db.insertInto("role_user").values(values).execute();
}

async function replaceRoles(db: Db, id: number, roles: readonly number[]): Promise<void> {
  await checkRoles(db, roles);
  const wasOnlyAdmin = await isOnlyAdmin(db, id);
  await db.deleteFrom("role_user").where("user_id", "=", id).execute();
  await addRoles(db, id, roles);
  if (wasOnlyAdmin && !(await isOnlyAdmin(db, id))) throw new ApiError(500, LAST_ADMIN);
}
