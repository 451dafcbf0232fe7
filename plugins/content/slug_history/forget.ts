import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";

/**
 * Removes the history of items that go for good. What left a book before is still asked for under the slugs of that book,
 * so these stay, the last one among them, for as long as a history names the book.
 */
export async function forget(ids: readonly number[], { db }: EventTransaction, kind: string): Promise<void> {
  const gone = sql`any(${[...ids]}::integer[])`;
  if (kind === "book")
    await rows(
      db,
      sql`insert into slug_history (kind, item_id, slug)
        select 'book', books.id, books.slug from books where books.id = ${gone}
          and exists (select from slug_history inside where inside.book_id = books.id)
        on conflict (kind, item_id, slug, book_id, book_slug) do update set until = excluded.until`,
    );
  const named = sql`exists (select from slug_history inside where inside.book_id = history.item_id)`;
  const left = await rows<{ book_id: number }>(
    db,
    sql`delete from slug_history history where history.kind = ${kind} and history.item_id = ${gone}
      and (${kind} <> 'book' or not ${named}) returning history.book_id`,
  );
  const books = [...new Set(left.map(({ book_id }) => book_id))].filter((id) => id !== 0);
  if (books.length === 0) return;
  await rows(
    db,
    sql`delete from slug_history history where history.kind = 'book' and history.item_id = any(${books}::integer[])
      and not exists (select from books where books.id = history.item_id) and not ${named}`,
  );
}
