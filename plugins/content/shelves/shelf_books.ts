/**
 * The books on a shelf, and the shelves of a book (content-api 6). A shelf has books in an order. A user who replaces them
 * can name only visible books, so books that they do not see stay on the shelf, after the given ones. The same holds for
 * books in the recycle bin: a restored book is on its shelves again.
 */
import { type EventTransaction, type RawBuilder, type Static, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { shelvedBookSchema } from "../_items/answers.ts";
import type { ShelvesContext } from "./contract.ts";

type ShelvedBook = Static<typeof shelvedBookSchema>;

/** The largest value of an integer column. */
const MAX_ID = 2_147_483_647;

const replaceBooks = prepared(
  "shelves.replaceBooks",
  (db, p: { shelfId: number; ids: readonly number[]; visible: RawBuilder<boolean> }) =>
    db
      .with("given", (query) =>
        query
          .selectFrom(
            sql<{ id: number; place: number }>`unnest(${p.ids}::integer[]) with ordinality`.as<"sent">(
              sql`sent(id, place)`,
            ),
          )
          .innerJoin("books", "books.id", "sent.id")
          .select(["books.id as book_id", "sent.place"])
          .where(p.visible),
      )
      .with("kept", (query) =>
        query
          .selectFrom("bookshelf_books as on_shelf")
          .innerJoin("books", "books.id", "on_shelf.book_id")
          .select(["on_shelf.book_id", "on_shelf.position as place"])
          .where("on_shelf.shelf_id", "=", p.shelfId)
          .where((eb) => eb.not(p.visible)),
      )
      .with("wanted", (query) =>
        query
          .selectFrom(
            query
              .selectFrom("given")
              .select(["book_id", sql<number>`0`.as("kind"), "place"])
              .unionAll(query.selectFrom("kept").select(["book_id", sql<number>`1`.as("kind"), "place"]))
              .as("both_kinds"),
          )
          .select(({ fn }) => [
            "book_id",
            fn
              .agg<number>("row_number")
              .over((over) => over.orderBy("kind").orderBy("place"))
              .as("position"),
          ]),
      )
      .with("gone", (query) =>
        query
          .deleteFrom("bookshelf_books")
          .where("shelf_id", "=", p.shelfId)
          .where("book_id", "not in", query.selectFrom("wanted").select("book_id")),
      )
      .insertInto("bookshelf_books")
      .columns(["shelf_id", "book_id", "position"])
      .expression((eb) =>
        eb
          .selectFrom("wanted")
          .select([sql<number>`${p.shelfId}::integer`.as("shelf_id"), "wanted.book_id", "wanted.position"]),
      )
      .onConflict((conflict) =>
        conflict.columns(["shelf_id", "book_id"]).doUpdateSet((eb) => ({ position: eb.ref("excluded.position") })),
      ),
);

const lockShelvesOf = prepared("shelves.lockOfBook", (db, p: { bookId: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("bookshelves")
    .select(["bookshelves.id", "bookshelves.owned_by", "bookshelves.acl_id"])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("bookshelf_books")
          .whereRef("bookshelf_books.shelf_id", "=", "bookshelves.id")
          .where("bookshelf_books.book_id", "=", p.bookId),
      ),
    )
    .where(p.visible)
    .orderBy("bookshelves.id")
    .forNoKeyUpdate(),
);

const append = prepared("shelves.appendBook", (db, p: { shelfId: number; bookId: number }) =>
  db
    .insertInto("bookshelf_books")
    .columns(["shelf_id", "book_id", "position"])
    .expression((eb) =>
      eb
        .selectFrom("bookshelf_books")
        .select((of) => [
          sql<number>`${p.shelfId}::integer`.as("shelf_id"),
          sql<number>`${p.bookId}::integer`.as("book_id"),
          sql<number>`${of.fn.max("position")} + 1`.as("position"),
        ])
        .where("shelf_id", "=", p.shelfId),
    ),
);

const booksOn = prepared("shelves.booksOn", (db, p: { shelfId: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("bookshelf_books")
    .innerJoin("books", "books.id", "bookshelf_books.book_id")
    .select(["books.id", "books.name", "books.slug", "books.description", "books.created_at", "books.updated_at"])
    .select(["books.created_by", "books.updated_by", "books.owned_by"])
    .where("bookshelf_books.shelf_id", "=", p.shelfId)
    .where(p.visible)
    .orderBy("bookshelf_books.position"),
);

const shelvesOfBooks = prepared(
  "shelves.ofBooks",
  (db, p: { bookIds: readonly number[]; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("bookshelf_books")
      .innerJoin("bookshelves", "bookshelves.id", "bookshelf_books.shelf_id")
      .select(["bookshelf_books.book_id", "bookshelves.id", "bookshelves.name", "bookshelves.slug"])
      .where("bookshelf_books.book_id", "=", sql<number>`any(${p.bookIds}::integer[])`)
      .where(p.visible)
      .orderBy("bookshelves.id"),
);

/** The ids in a list that a request sent, of numbers or texts. Each id is returned once, at its first position; other values are dropped. */
export function idsOf(sent: readonly unknown[]): number[] {
  return [...new Set(sent.map(idOf).filter(isId))];
}

function idOf(value: unknown): number {
  return typeof value === "number" || typeof value === "string" ? Number(value) : 0;
}

function isId(id: number): boolean {
  return Number.isInteger(id) && id > 0 && id <= MAX_ID;
}

/** Replaces the books on a shelf that the viewer sees by others, in the given order. */
export async function setBooks(
  { visible }: Pick<ShelvesContext, "visible">,
  shelfId: number,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  await replaceBooks.execute(tx.db, { shelfId, ids, visible: visible.where("books", tx.viewer) });
}

/** Puts the copy of a book last on those shelves of the book that the copier sees and may update, as BookStack does. */
export async function shelveCopy(
  { contracts: { access }, visible }: Pick<ShelvesContext, "contracts" | "visible">,
  { id, copyId }: { readonly id: number; readonly copyId: number },
  { db, viewer }: EventTransaction,
): Promise<void> {
  const shelves = await lockShelvesOf.execute(db, { bookId: id, visible: visible.where("bookshelves", viewer) });
  for (const shelf of shelves)
    if (await access.may(viewer, "bookshelf-update", shelf))
      await append.write(db, { shelfId: shelf.id, bookId: copyId });
}

/** The books on a shelf that the viewer sees, in their order, as a single read of the shelf shows them. */
export function booksOf(
  { db, visible }: Pick<ShelvesContext, "db" | "visible">,
  shelfId: number,
  viewer: Viewer,
): Promise<ShelvedBook[]> {
  return booksOn.execute(db, { shelfId, visible: visible.where("books", viewer) });
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
  const found = await shelvesOfBooks.execute(db, { bookIds, visible: visible.where("bookshelves", viewer) });
  const byBook = new Map<number, { shelves: unknown[] }>(bookIds.map((id) => [id, { shelves: [] }]));
  for (const { book_id, ...shelf } of found) byBook.get(book_id)?.shelves.push(shelf);
  return byBook;
}
