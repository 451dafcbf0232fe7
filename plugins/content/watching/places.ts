/**
 * Where an item is, for watching: itself, and what it is in, the nearest first. What a user chose for the nearest of them counts. A book may
 * be on several shelves, which are equally near; the highest level of them counts.
 */
import type { HomeKind } from "lectern/contracts";
import { type RawBuilder, sql } from "lectern/core";
import type { WatchingContext } from "./contract.ts";

const [OWN, CHAPTER, BOOK, SHELF] = [1, 2, 3, 4];

/** SQL for the places of an item: rows of `kind`, `item_id` and `place`, 1 for the item itself. */
export function placesOf(
  { hasTable }: Pick<WatchingContext, "hasTable">,
  kind: HomeKind,
  id: RawBuilder<number>,
): RawBuilder<unknown> {
  const own = sql`select ${kind}::text as kind, ${id}::integer as item_id, ${sql.lit(OWN)} as place`;
  const from = CONTAINED[kind];
  if (!from) return own;
  const { table, inChapter } = from;
  const book = sql.ref(kind === "book" ? "books.id" : `${table}.book_id`);
  const item = sql`from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = ${id}::integer`;
  const inBook = kind === "book" ? [] : [sql`select 'book', ${book}, ${sql.lit(BOOK)} ${item}`];
  const chapter = sql`select 'chapter', ${sql.ref(`${table}.chapter_id`)}, ${sql.lit(CHAPTER)} ${item}
    and ${sql.ref(`${table}.chapter_id`)} is not null`;
  const shelves = sql`select 'bookshelf', held.shelf_id, ${sql.lit(SHELF)} from bookshelf_books as held
    join bookshelves on bookshelves.id = held.shelf_id and bookshelves.deleted_at is null
    where held.book_id = (select ${book} ${item})`;
  return sql.join(
    [own, ...(inChapter ? [chapter] : []), ...inBook, ...(hasTable("bookshelf_books") ? [shelves] : [])],
    sql` union all `,
  );
}

/** The tables of kinds that are in others. */
const CONTAINED: Readonly<Partial<Record<HomeKind, { readonly table: string; readonly inChapter: boolean }>>> = {
  page: { table: "pages", inChapter: true },
  chapter: { table: "chapters", inChapter: false },
  book: { table: "books", inChapter: false },
};
