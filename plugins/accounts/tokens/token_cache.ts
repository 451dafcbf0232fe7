import { ApiError, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** A token as it is remembered between requests. */
export interface KnownToken {
  readonly id: number;
  readonly userId: number;
  /** Rewritten in place when a bcrypt hash is replaced. */
  hash: string;
  /** When it ends, in milliseconds since 1970. */
  readonly endsAt: number;
  readonly isConfirmed: boolean;
  readonly readOnly: boolean;
  /** The only permissions it may use; null for all that the owner has. */
  readonly only: ReadonlySet<string> | null;
}

/** Longest token id worth asking the store for, in characters; ours have 32. */
const MAX_TOKEN_ID = 255;

/** The answer to a token that nobody has (platform 1.3, A3). Thrown and not returned, so that it is not remembered. */
export const UNKNOWN = new ApiError(401, "No matching API token was found for the provided authorization token");

/** Reads a token by its public id. A day begins at midnight in `timeZone`. Throws UNKNOWN. */
export async function readToken(db: Pick<Db, "executeQuery">, tokenId: string, timeZone: string): Promise<KnownToken> {
  if (tokenId === "" || tokenId.length > MAX_TOKEN_ID || tokenId.includes("\0")) throw UNKNOWN;
  const [token] = await rows(
    db,
    sql<
      Omit<KnownToken, "only"> & { only: string[] | null }
    >`select api_tokens.id, api_tokens.user_id as "userId", api_tokens.secret_hash as hash,
    (extract(epoch from api_tokens.expires_at::timestamp at time zone ${timeZone}) * 1000)::float8 as "endsAt",
    users.email_confirmed as "isConfirmed", api_tokens.read_only as "readOnly", api_tokens.permissions as only
    from api_tokens join users on users.id = api_tokens.user_id where api_tokens.token_id = ${tokenId}`,
  );
  if (!token) throw UNKNOWN;
  return { ...token, only: token.only && new Set(token.only) };
}
