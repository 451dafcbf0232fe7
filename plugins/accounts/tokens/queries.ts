import type { QueryCreator } from "kysely";
import { type RawBuilder, sql } from "lectern/core";
import { prepared, refs, type Tables } from "lectern/db";

const COLUMNS = [
  "api_tokens.id",
  "api_tokens.name",
  "api_tokens.token_id",
  "api_tokens.user_id",
  "users.name as user_name",
  "api_tokens.expires_at",
  "api_tokens.read_only",
  "api_tokens.permissions",
  "api_tokens.last_used_at",
  "api_tokens.created_at",
  "api_tokens.updated_at",
] as const;

/** The columns of a token that answers show; they need a join with its user. */
export const columns: RawBuilder<unknown> = refs(...COLUMNS);
/** The join that the columns need. */
export const joins: RawBuilder<unknown> = sql`join users on ${refs("users.id")} = ${refs("api_tokens.user_id")}`;

/** A query of tokens with the names of their users, sorted by id. */
export function selectTokens(db: QueryCreator<Tables>) {
  return db
    .selectFrom("api_tokens")
    .innerJoin("users", "users.id", "api_tokens.user_id")
    .select(COLUMNS)
    .orderBy("api_tokens.id");
}

/** Reads a token by its id. */
export const findToken = prepared("tokens.find", (db, p: { id: number }) =>
  selectTokens(db).where("api_tokens.id", "=", p.id),
);

/** Reads a token of a user. */
export const findTokenOf = prepared("tokens.findOfUser", (db, p: { id: number; owner: number }) =>
  selectTokens(db).where("api_tokens.id", "=", p.id).where("api_tokens.user_id", "=", p.owner),
);

/** Reads the expiry of a token by the public part of its credentials. */
export const readExpiry = prepared("tokens.readExpiry", (db, p: { tokenId: string }) =>
  db.selectFrom("api_tokens").select("expires_at").where("token_id", "=", p.tokenId),
);
