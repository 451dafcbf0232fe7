/**
 * The writes of the events of tokens. Only the hash of a secret is stored. Secrets are random, so a fast hash is sufficient;
 * they are shown once, when the token is created. The scope of a token is set then and never updated.
 */
import { ApiError, type EventTransaction, notFound, rejectControlCharacters, sha256, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import type { ApiToken, ApiTokenChange, ApiTokenDraft, ListedToken } from "./contract.ts";
import type { Credentials } from "./credentials.ts";
import { expiryOf } from "./expiry.ts";
import { findToken } from "./queries.ts";

const MAX_NAME = 250;

/** Keeps the owner of a new token from being deleted until the transaction ends. */
const lockOwner = prepared("tokens.lockOwner", (db, p: { id: number }) =>
  db.selectFrom("users").where("id", "=", p.id).forKeyShare(),
);

/** Stores a token. Throws 422 for a name that is missing or too long, or a text that is no day of the calendar. */
export async function insertToken(
  draft: ApiTokenDraft,
  { tokenId, secret }: Credentials,
  { db }: EventTransaction,
): Promise<ListedToken> {
  const { name, user_id, expires_at, read_only = false, permissions = null } = draft;
  checkName(name);
  if (!(await lockOwner.executeTakeFirst(db, { id: user_id }))) throw notFound("User");
  const { id } = await db
    .insertInto("api_tokens")
    .values({
      name,
      user_id,
      token_id: tokenId,
      secret_hash: sha256(secret),
      expires_at: expiryOf(expires_at),
      read_only,
      permissions: permissions && sql`${JSON.stringify(permissions)}::text::jsonb`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return reread(db, id);
}

/** Updates name and expiry of a token. Throws as above, and 404 if it was deleted. */
export async function changeToken(id: number, draft: ApiTokenChange, { db }: EventTransaction): Promise<ListedToken> {
  const { name, expires_at } = draft;
  if (name !== undefined) checkName(name);
  await db
    .updateTable("api_tokens")
    .set({
      ...(name === undefined ? {} : { name }),
      ...(expires_at === undefined ? {} : { expires_at: expiryOf(expires_at) }),
      updated_at: sql<string>`now()`,
    })
    .where("id", "=", id)
    .execute();
  return reread(db, id);
}

/** Revokes a token. Throws 404 if it was deleted already. */
export async function removeToken(token: ApiToken, { db }: EventTransaction): Promise<ApiToken> {
  const { numDeletedRows } = await db.deleteFrom("api_tokens").where("id", "=", token.id).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("Token");
  return token;
}

async function reread(db: Executor, id: number): Promise<ListedToken> {
  const token = await findToken.executeTakeFirst(db, { id });
  if (!token) throw notFound("Token");
  return token;
}

function checkName(name: string): void {
  if (name === "" || [...name].length > MAX_NAME)
    throw new ApiError(422, `wanted a name of 1 to ${MAX_NAME} characters`);
  rejectControlCharacters({ name });
}
