/**
 * The books on a shelf, and the shelves of a book (content-api 6). A shelf holds books in an order; who replaces them
 * names only books they see, so those they do not see stay behind the given ones. That holds for books in the bin too:
 * they come back to their shelves.
 */
import { type EventTransaction, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ShelvesContext } from "./contract.ts";

/** The largest id there can be. */
const MAX_ID = 2_147_483_647;

/**
 * Ids as a request sent them, a list or an object, as numbers or texts: each once, at its first place; no others. The
 * places of an object are its keys as numbers, wherever they stand, as in the original; keys that are no numbers come last.
 */
export function idsOf(sent: unknown): number[] {
  const entries = Object.entries(typeof sent === "object" && sent !== null ? sent : {});
  const placed = entries.map(([key, value]) => ({ place: /^-?\d+$/.test(key) ? Number(key) : Infinity, value }));
  const values = placed.sort((a, b) => (a.place === b.place ? 0 : a.place - b.place)).map(({ value }) => value);
  const ids = values.map((value) => (typeof value === "number" || typeof value === "string" ? Number(value) : 0));
  return [...new Set(ids.filter((id) => Number.isInteger(id) && id > 0 && id <= MAX_ID))];
}

/** Puts books on a shelf in the given order, in place of those the viewer sees there. */
export async function setBooks(
  { visible }: Pick<ShelvesContext, "visible">,
  shelfId: number,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const { db, viewer } = tx;
  const seen = visible.where("books", viewer);
  await rows(
    db,
    sql`
    with given as (
      select books.id, sent.place from unnest(${ids}::integer[]) with ordinality as sent(id, place)
      join books on books.id = sent.id where ${seen}
    ), kept as (
      select on_shelf.book_id, on_shelf.position from bookshelf_books as on_shelf
      join books on books.id = on_shelf.book_id where on_shelf.shelf_id = ${shelfId} and not ${seen}
    ), wanted as (
      select id as book_id, row_number() over (order by kind, place) as position
      from (select id, 0 as kind, place from given union all select book_id, 1, position from kept) as both_kinds
    ), gone as (
      delete from bookshelf_books where shelf_id = ${shelfId} and book_id not in (select book_id from wanted)
    )
    insert into bookshelf_books (shelf_id, book_id, position) select ${shelfId}::integer, book_id, position from wanted
    on conflict (shelf_id, book_id) do update set position = excluded.position`,
  );
}

/** The books on a shelf that the viewer sees, in shelf order, as its read shows them. */
export function booksOf(
  { db, visible }: Pick<ShelvesContext, "db" | "visible">,
  shelfId: number,
  viewer: Viewer,
): Promise<Record<string, unknown>[]> {
  return rows<Record<string, unknown>>(
    db,
    sql`
    select books.id, books.name, books.slug, books.description, books.created_at, books.updated_at,
      books.created_by, books.updated_by, books.owned_by
    from bookshelf_books join books on books.id = bookshelf_books.book_id
    where bookshelf_books.shelf_id = ${shelfId} and ${visible.where("books", viewer)}
    order by bookshelf_books.position`,
  );
}

/** For each book the shelves the viewer sees it on: the key `shelves` of a book's read (content-api 5.1). */
export async function shelvesOf(
  { db, visible }: Pick<ShelvesContext, "db" | "visible">,
  bookIds: readonly number[],
  viewer: Viewer,
): Promise<Map<number, { shelves: unknown[] }>> {
  const found = await rows<{ book_id: number; id: number; name: string; slug: string }>(
    db,
    sql`
    select bookshelf_books.book_id, bookshelves.id, bookshelves.name, bookshelves.slug
    from bookshelf_books join bookshelves on bookshelves.id = bookshelf_books.shelf_id
    where bookshelf_books.book_id = any(${bookIds}::integer[]) and ${visible.where("bookshelves", viewer)}
    order by bookshelves.id`,
  );
  const byBook = new Map(bookIds.map((id) => [id, { shelves: [] as unknown[] }]));
  for (const { book_id, ...shelf } of found) byBook.get(book_id)?.shelves.push(shelf);
  return byBook;
}
