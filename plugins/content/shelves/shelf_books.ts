/**
 * The books on a shelf, and the shelves of a book (content-api 6). A shelf has books in an order. A user who replaces them
 * can name only visible books, so books that they do not see stay on the shelf, after the given ones. The same holds for
 * books in the recycle bin: a restored book is on its shelves again.
 */
import { type EventTransaction, type RawBuilder, type Static, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { shelvedBookSchema } from "../_items/answers.ts";
import type { ShelvesContext } from "./contract.ts";

type ShelvedBook = Static<typeof shelvedBookSchema>;

/** The largest value of an integer column. */
const MAX_ID = 2_147_483_647;

/**
 * The ids in what a request sent: a list or an object, of numbers or texts. Each id is returned once, at its first
 * position; other values are dropped. An object is ordered by its numeric keys, as in BookStack; other keys come last.
 */
export function idsOf(sent: unknown): number[] {
  const entries = Object.entries(typeof sent === "object" && sent !== null ? sent : {});
  const keyed = entries.map(([key, value]) => ({ position: /^-?\d+$/.test(key) ? Number(key) : Infinity, value }));
  const sorted = keyed.sort((a, b) => (a.position === b.position ? 0 : a.position - b.position));
  const values = sorted.map(({ value }) => value);
  const ids = values.map((value) => (typeof value === "number" || typeof value === "string" ? Number(value) : 0));
  return [...new Set(ids.filter((id) => Number.isInteger(id) && id > 0 && id <= MAX_ID))];
}

/** Replaces the books on a shelf that the viewer sees by others, in the given order. */
export async function setBooks(
  { visible }: Pick<ShelvesContext, "visible">,
  shelfId: number,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const { db, viewer } = tx;
  const isVisible = visible.where("books", viewer);
  await rows(
    db,
    sql`
    with given as (
      select books.id, sent.place from unnest(${ids}::integer[]) with ordinality as sent(id, place)
      join books on books.id = sent.id where ${isVisible}
    ), kept as (
      select on_shelf.book_id, on_shelf.position from bookshelf_books as on_shelf
      join books on books.id = on_shelf.book_id where on_shelf.shelf_id = ${shelfId} and not ${isVisible}
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

/** The books on a shelf that the viewer sees, in their order, as a single read of the shelf shows them. */
export function booksOf(
  { db, visible }: Pick<ShelvesContext, "db" | "visible">,
  shelfId: number,
  viewer: Viewer,
): Promise<ShelvedBook[]> {
  return rows<ShelvedBook>(
    db,
    sql`
    select books.id, books.name, books.slug, books.description, books.created_at, books.updated_at,
      books.created_by, books.updated_by, books.owned_by
    from bookshelf_books join books on books.id = bookshelf_books.book_id
    where bookshelf_books.shelf_id = ${shelfId} and ${visible.where("books", viewer)}
    order by bookshelf_books.position`,
  );
}

/** SQL for the same fields of one book, over the column of its id. */
export function shelvesOfOne(
  { visible }: Pick<ShelvesContext, "visible">,
  bookId: RawBuilder<unknown>,
  viewer: Viewer,
): RawBuilder<{ shelves: unknown[] }> {
  return sql`json_build_object('shelves', coalesce((
    select json_agg(json_build_object('id', bookshelves.id, 'name', bookshelves.name, 'slug', bookshelves.slug)
      order by bookshelves.id)
    from bookshelf_books join bookshelves on bookshelves.id = bookshelf_books.shelf_id
    where bookshelf_books.book_id = ${bookId} and ${visible.where("bookshelves", viewer)}), '[]'))`;
}

/** The key `shelves` of single reads of books (content-api 5.1), by book: the shelves with it that the viewer sees. */
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
