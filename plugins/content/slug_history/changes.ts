import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";

/**
 * Removes the history of items that are removed permanently. Items that left a book earlier still have addresses with that
 * book's slugs, so the slugs of a book, its last one too, stay for as long as the history of another item refers to it.
 */
export async function removeHistory(ids: readonly number[], { db }: EventTransaction, kind: string): Promise<void> {
  const removed = sql`any(${[...ids]}::integer[])`;
  if (kind === "book")
    await rows(
      db,
      sql`insert into slug_history (kind, item_id, slug)
        select 'book', books.id, books.slug from books where books.id = ${removed}
          and exists (select from slug_history inside where inside.book_id = books.id)
        on conflict (kind, item_id, slug, book_id, book_slug) do update set until = excluded.until`,
    );
  const isReferenced = sql`exists (select from slug_history inside where inside.book_id = history.item_id)`;
  const deleted = await rows<{ book_id: number }>(
    db,
    sql`delete from slug_history history where history.kind = ${kind} and history.item_id = ${removed}
      and (${kind} <> 'book' or not ${isReferenced}) returning history.book_id`,
  );
  const books = [...new Set(deleted.map(({ book_id }) => book_id))].filter((id) => id !== 0);
  if (books.length === 0) return;
  await rows(
    db,
    sql`delete from slug_history history where history.kind = 'book' and history.item_id = any(${books}::integer[])
      and not exists (select from books where books.id = history.item_id) and not ${isReferenced}`,
  );
}
