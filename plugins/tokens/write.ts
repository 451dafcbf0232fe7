import { ApiError, randomText, sha256, sql, type Work } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { ApiToken, ApiTokenDraft } from "./contract.ts";

/** Characters of a token's id, and of its secret (platform 1.2). */
const LENGTH = 32;
const MAX_NAME = 250;
const DEFAULT_YEARS = 100;

/** What a new token is made with; by default both parts are random. */
export interface Parts {
  readonly tokenId: string;
  readonly secret: string;
}

/** Random parts of a token. */
export function randomParts(): Parts {
  return { tokenId: randomText(LENGTH), secret: randomText(LENGTH) };
}

/** Stores a token. Throws 422 for a name that is missing or too long, or a day that is in no calendar. */
export async function insertToken(draft: ApiTokenDraft, { tokenId, secret }: Parts, { db }: Work): Promise<ApiToken> {
  const { name, user_id, expires_at } = draft;
  if (name === "" || [...name].length > MAX_NAME)
    throw new ApiError(422, `wanted a name of 1 to ${MAX_NAME} characters`);
  if (expires_at !== undefined && !isDay(expires_at))
    throw new ApiError(422, `cannot read the date "${expires_at}", wanted YYYY-MM-DD`);
  const { id } = await db
    .insertInto("api_tokens")
    .values({
      name,
      user_id,
      token_id: tokenId,
      secret_hash: sha256(secret),
      expires_at: expires_at ?? farDay(new Date()),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const [token] = await readTokens(db, sql`api_tokens.id = ${id}`);
  return token as ApiToken;
}

/** Tokens with their owners' names, by id. */
export function readTokens(
  db: Pick<Db, "executeQuery">,
  where: ReturnType<typeof sql>,
): Promise<(ApiToken & { last_used_at: string | null })[]> {
  return rows(
    db,
    sql<
      ApiToken & { last_used_at: string | null }
    >`select api_tokens.id, api_tokens.name, api_tokens.token_id, api_tokens.user_id,
    users.name as user_name, api_tokens.expires_at, api_tokens.last_used_at
    from api_tokens join users on users.id = api_tokens.user_id where ${where} order by api_tokens.id`,
  );
}

/** Whether a text is a day of the calendar as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "1000") return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The day a hundred years after a moment: when a token ends that was given no end. */
export function farDay(now: Date): string {
  const day = new Date(now);
  day.setUTCFullYear(day.getUTCFullYear() + DEFAULT_YEARS);
  return day.toISOString().slice(0, 10);
}
