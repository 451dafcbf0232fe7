/**
 * Makes one thing on the server exactly once. The order keeps the promise: note it as pending, send, note its id. What
 * is found pending is looked for before it is sent again: same name, same parent, an id above the highest known before,
 * and no other path's own. So a kill between sending and noting, or an answer lost on the way, doubles nothing.
 */
import { AnswerError, type ApiClient, type Json } from "lectern/cli";
import type { Kind, LoadState } from "./state.ts";

/** Something to create. */
export interface Wanted {
  readonly kind: Kind;
  readonly path: string;
  readonly name: string;
  readonly body: object;
  /** The filters of a listing that narrow it to the parent. */
  readonly parent: Readonly<Record<string, number>>;
  /** The chapter a page belongs to; undefined where it is in none. */
  readonly chapterId?: number | undefined;
}

/** Where the API keeps things of a kind. */
export const PATHS: Readonly<Record<Kind, string>> = {
  shelf: "/api/shelves",
  book: "/api/books",
  chapter: "/api/chapters",
  page: "/api/pages",
  image: "/api/image-gallery",
};

/** What was made or found. */
export interface Made {
  readonly id: number;
  readonly slug: string;
  /** The address of a picture. */
  readonly url?: string;
  /** The full answer where it was just created; undefined where it was found. */
  readonly answer: Json | undefined;
}

/** The highest id of a kind the client may see; 0 where there is none. Throws AnswerError. */
export async function newestId(client: ApiClient, kind: Kind): Promise<number> {
  const rows = rowsOf(await client.get(`${PATHS[kind]}?count=1&sort=-id`));
  return rows[0] === undefined ? 0 : numberOf(rows[0].id);
}

/** Creates it, or finds what an earlier run or try created. Throws AnswerError. */
export async function make(client: ApiClient, state: LoadState, wanted: Wanted, above: number): Promise<Made> {
  const { kind, path, name } = wanted;
  const pendingAbove = state.get(path)?.pendingAbove;
  const floor = pendingAbove ?? above;
  const look = () => find(client, state, wanted, floor);
  if (pendingAbove === undefined) await state.set(path, { kind, pendingAbove: floor });
  const held = pendingAbove === undefined ? undefined : await look();
  const row = held ?? (await client.post(PATHS[kind], wanted.body, look));
  const made = {
    id: numberOf(row.id),
    slug: typeof row.slug === "string" ? row.slug : "",
    ...(kind === "image" && typeof row.url === "string" && { url: row.url }),
  };
  if (made.id === 0)
    throw new AnswerError(400, `POST ${PATHS[kind]} answers without an id: is the base URL that of the server?`);
  await state.set(path, { kind, ...made, name });
  return { ...made, answer: typeof row.html === "string" ? row : undefined };
}

async function find(client: ApiClient, state: LoadState, wanted: Wanted, floor: number): Promise<Json | undefined> {
  const query = new URLSearchParams({
    count: "500",
    sort: "id",
    "filter[name]": wanted.name,
    "filter[id:gt]": String(floor),
  });
  for (const [field, id] of Object.entries(wanted.parent)) query.set(`filter[${field}]`, String(id));
  const rows = rowsOf(await client.get(`${PATHS[wanted.kind]}?${query}`));
  const found = rows.find((row) => isIt(row, wanted, floor) && !state.isClaimed(wanted.kind, numberOf(row.id)));
  if (found) state.claim(wanted.kind, numberOf(found.id));
  return found;
}

/** A server may ignore a filter it does not know, so all of them are checked again. */
function isIt(row: Json, { name, parent, kind, chapterId }: Wanted, floor: number): boolean {
  if (row.name !== name || numberOf(row.id) <= floor) return false;
  if (!Object.entries(parent).every(([field, id]) => row[field] === id)) return false;
  return kind !== "page" || numberOf(row.chapter_id) === (chapterId ?? 0);
}

/** The rows of a listing. */
export function rowsOf(listing: Json): Json[] {
  return Array.isArray(listing.data) ? (listing.data as Json[]) : [];
}

/** An id as a number; 0 for none. */
export function numberOf(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) || 0 : 0;
}
