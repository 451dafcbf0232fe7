/**
 * What the events of tokens do to the store, and how tokens are read. Only the hash of a secret is ever written: the
 * secret is random and told once, so a fast hash keeps it, and nothing here could tell it again. A token's scope is set
 * when it is made; no function changes it.
 */
import {
  ApiError,
  type EventTransaction,
  notFound,
  type RawBuilder,
  randomText,
  rejectControlCharacters,
  sha256,
  sql,
} from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { ApiToken, ApiTokenChange, ApiTokenDraft } from "./contract.ts";

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

/** A token as listings show it. */
export interface ListedToken extends ApiToken {
  readonly last_used_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The columns of a token that answers show; `users` is to be joined. */
export const columns: RawBuilder<unknown> = sql`api_tokens.id, api_tokens.name, api_tokens.token_id,
  api_tokens.user_id, users.name as user_name, api_tokens.expires_at, api_tokens.read_only, api_tokens.permissions,
  api_tokens.last_used_at, api_tokens.created_at, api_tokens.updated_at`;
/** The join that the columns need. */
export const joins: RawBuilder<unknown> = sql`join users on users.id = api_tokens.user_id`;

/** Stores a token. Throws 422 for a name that is missing or too long, or a day that is in no calendar. */
export async function insertToken(draft: ApiTokenDraft, parts: Parts, { db }: EventTransaction): Promise<ListedToken> {
  const { name, user_id, expires_at, read_only = false, permissions = null } = draft;
  checkName(name);
  const owner = await rows(db, sql`select from users where id = ${user_id}::integer for key share`);
  if (owner.length === 0) throw notFound("User");
  const { id } = await db
    .insertInto("api_tokens")
    .values({
      name,
      user_id,
      token_id: parts.tokenId,
      secret_hash: sha256(parts.secret),
      expires_at: dayOf(expires_at),
      read_only,
      permissions: permissions && sql`${JSON.stringify(permissions)}::text::jsonb`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return stored(db, id);
}

/** Changes name and end of a token. Throws as above, and 404 where it is gone. */
export async function changeToken(id: number, draft: ApiTokenChange, { db }: EventTransaction): Promise<ListedToken> {
  const { name, expires_at } = draft;
  if (name !== undefined) checkName(name);
  await db
    .updateTable("api_tokens")
    .set({
      ...(name === undefined ? {} : { name }),
      ...(expires_at === undefined ? {} : { expires_at: dayOf(expires_at) }),
      updated_at: sql<string>`now()`,
    })
    .where("id", "=", id)
    .execute();
  return stored(db, id);
}

/** Revokes a token. Throws 404 where it is gone already. */
export async function removeToken(token: ApiToken, { db }: EventTransaction): Promise<ApiToken> {
  const { numDeletedRows } = await db.deleteFrom("api_tokens").where("id", "=", token.id).executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound("Token");
  return token;
}

/** Tokens with their owners' names, by id. */
export function readTokens(db: Pick<Db, "executeQuery">, where: RawBuilder<unknown>): Promise<ListedToken[]> {
  return rows(db, sql<ListedToken>`select ${columns} from api_tokens ${joins} where ${where} order by api_tokens.id`);
}

async function stored(db: Pick<Db, "executeQuery">, id: number): Promise<ListedToken> {
  const [token] = await readTokens(db, sql`api_tokens.id = ${id}`);
  if (!token) throw notFound("Token");
  return token;
}

function checkName(name: string): void {
  if (name === "" || [...name].length > MAX_NAME)
    throw new ApiError(422, `wanted a name of 1 to ${MAX_NAME} characters`);
  rejectControlCharacters({ name });
}

/** A day as asked for; the far one where none was (platform 1.2). */
function dayOf(wanted: string | undefined): string {
  if (wanted === undefined || wanted === "") return farDay(new Date());
  if (!isDay(wanted)) throw new ApiError(422, `cannot read the date "${wanted}", wanted YYYY-MM-DD`);
  return wanted;
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
