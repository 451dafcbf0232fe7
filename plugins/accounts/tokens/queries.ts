import { type RawBuilder, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { ListedToken } from "./contract.ts";

/** The columns of a token that answers show; they need `joins`. */
export const columns: RawBuilder<unknown> = sql`api_tokens.id, api_tokens.name, api_tokens.token_id,
  api_tokens.user_id, users.name as user_name, api_tokens.expires_at, api_tokens.read_only, api_tokens.permissions,
  api_tokens.last_used_at, api_tokens.created_at, api_tokens.updated_at`;
/** The join that the columns need. */
export const joins: RawBuilder<unknown> = sql`join users on users.id = api_tokens.user_id`;

/** Reads tokens with the names of their users, sorted by id. */
export function readTokens(db: Pick<Db, "executeQuery">, where: RawBuilder<unknown>): Promise<ListedToken[]> {
  return rows(db, sql<ListedToken>`select ${columns} from api_tokens ${joins} where ${where} order by api_tokens.id`);
}
