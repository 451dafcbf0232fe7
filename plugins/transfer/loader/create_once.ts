/**
 * Creates an item on the server exactly once: record it as pending, send the request, record its id. A pending item is
 * searched for before it is sent again, by name, parent and an id above the highest one before the request, excluding ids of
 * other paths. So neither a crash between the steps nor a lost answer creates a duplicate.
 */
import { AnswerError, type ApiClient, type Json } from "lectern/cli";
import type { Kind, LoadState } from "./state.ts";

/** An item to create. */
export interface CreateRequest {
  readonly kind: Kind;
  readonly path: string;
  readonly name: string;
  readonly body: object;
  /** Filters that restrict the listing to the parent. */
  readonly parent: Readonly<Record<string, number>>;
  /** The chapter of a page; undefined for none. */
  readonly chapterId?: number | undefined;
}

/** Paths of the API by kind. */
export const PATHS = {
  shelf: "/api/shelves",
  book: "/api/books",
  chapter: "/api/chapters",
  page: "/api/pages",
  image: "/api/image-gallery",
  attachment: "/api/attachments",
} as const satisfies Readonly<Record<Kind, string>>;

/** An item that was created or found. */
export interface CreatedItem {
  readonly id: number;
  readonly slug: string;
  /** The address of an image. */
  readonly url?: string;
  /** The page in the response, where one was just created; undefined where it was found. */
  readonly answer: Json | undefined;
}

/** The highest id of a kind that the client may see; 0 for none. Throws AnswerError. */
export async function newestId(client: ApiClient, kind: Kind): Promise<number> {
  const rows = rowsOf(await client.get(`${PATHS[kind]}?count=1&sort=-id`));
  return rows[0] === undefined ? 0 : numberOf(rows[0].id);
}

/** Creates an item, or finds it where an earlier attempt created it. Throws AnswerError. */
export async function createOnce(
  client: ApiClient,
  state: LoadState,
  request: CreateRequest,
  above: number,
): Promise<CreatedItem> {
  const { kind, path, name } = request;
  const pendingAbove = state.get(path)?.pendingAbove;
  const lowerBound = pendingAbove ?? above;
  const findAgain = () => find(client, state, request, lowerBound);
  if (pendingAbove === undefined) await state.set(path, { kind, pendingAbove: lowerBound });
  const existing = pendingAbove === undefined ? undefined : await findAgain();
  const row = existing ?? (await client.post(PATHS[kind], request.body, findAgain));
  const created = {
    id: numberOf(row.id),
    slug: typeof row.slug === "string" ? row.slug : "",
    ...(kind === "image" && typeof row.url === "string" && { url: row.url }),
  };
  if (created.id === 0)
    throw new AnswerError(400, `POST ${PATHS[kind]} answers without an id: is the base URL that of the server?`);
  await state.set(path, { kind, ...created, name });
  return { ...created, answer: typeof row.html === "string" ? row : undefined };
}

async function find(
  client: ApiClient,
  state: LoadState,
  request: CreateRequest,
  lowerBound: number,
): Promise<Json | undefined> {
  const query = new URLSearchParams({
    count: "500",
    sort: "id",
    "filter[name]": request.name,
    "filter[id:gt]": String(lowerBound),
  });
  for (const [field, id] of Object.entries(request.parent)) query.set(`filter[${field}]`, String(id));
  const rows = rowsOf(await client.get(`${PATHS[request.kind]}?${query}`));
  const found = rows.find(
    (row) => matches(row, request, lowerBound) && !state.isClaimed(request.kind, numberOf(row.id)),
  );
  if (found) state.claim(request.kind, numberOf(found.id));
  return found;
}

/** Whether a row matches the request. A server may ignore unknown filters, so all are checked here. */
function matches(row: Json, { name, parent, kind, chapterId }: CreateRequest, lowerBound: number): boolean {
  if (row.name !== name || numberOf(row.id) <= lowerBound) return false;
  if (!Object.entries(parent).every(([field, id]) => row[field] === id)) return false;
  return kind !== "page" || numberOf(row.chapter_id) === (chapterId ?? 0);
}

/** The rows of a listing. */
export function rowsOf(listing: Json): Json[] {
  return Array.isArray(listing.data) ? listing.data : [];
}

/** An id as a number; 0 for none. */
export function numberOf(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) || 0 : 0;
}
