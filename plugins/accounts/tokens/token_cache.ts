import { ApiError, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

/** A token as it is cached between requests. */
export interface CachedToken {
  readonly id: number;
  readonly userId: number;
  /** Updated in place when a bcrypt hash is replaced. */
  hash: string;
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly isConfirmed: boolean;
  readonly readOnly: boolean;
  /** The only permissions that it can use; null for all of its user. */
  readonly only: ReadonlySet<string> | null;
}

/** Longest token id that is looked up, in characters; generated ones have 32. */
const MAX_TOKEN_ID = 255;

/** The error for an unknown token (platform 1.3, A3). Thrown and not returned, so that it is not cached. */
export const UNKNOWN = new ApiError(401, "No matching API token was found for the provided authorization token");

const findByPublicId = prepared("tokens.findByPublicId", (db, p: { tokenId: string; timeZone: string }) =>
  db
    .selectFrom("api_tokens")
    .innerJoin("users", "users.id", "api_tokens.user_id")
    .select(["api_tokens.id", "api_tokens.user_id as userId", "api_tokens.secret_hash as hash"])
    .select(({ ref }) =>
      sql<number>`(extract(epoch from ${ref("api_tokens.expires_at")}::timestamp at time zone ${p.timeZone}) * 1000)::float8`.as(
        "expiresAt",
      ),
    )
    .select([
      "users.email_confirmed as isConfirmed",
      "api_tokens.read_only as readOnly",
      "api_tokens.permissions as only",
    ])
    .where("api_tokens.token_id", "=", p.tokenId),
);

/** Reads a token by its public id. Days begin at midnight in `timeZone`. Throws UNKNOWN. */
export async function readToken(db: Executor, tokenId: string, timeZone: string): Promise<CachedToken> {
  if (tokenId === "" || tokenId.length > MAX_TOKEN_ID || tokenId.includes("\0")) throw UNKNOWN;
  const token = await findByPublicId.executeTakeFirst(db, { tokenId, timeZone });
  if (!token) throw UNKNOWN;
  return { ...token, only: token.only && new Set(token.only) };
}
