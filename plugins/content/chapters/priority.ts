import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** The largest priority its column holds. */
const MAX_PRIORITY = 2_147_483_647;

/**
 * The priority of what is added at the end of a book: one more than the highest among its chapters and its direct pages
 * that are no drafts, at least 2 (content-api 4.5).
 */
export async function nextPriority(db: Db, bookId: number): Promise<number> {
  const [found] = await rows<{ next: number }>(
    db,
    sql`
    select least(greatest(
      (select max(priority) from chapters where book_id = ${bookId} and deleted_at is null),
      (select max(priority) from pages
        where book_id = ${bookId} and chapter_id is null and not draft and deleted_at is null),
      1
    )::bigint + 1, ${MAX_PRIORITY}::bigint) as next`,
  );
  return found?.next ?? 2;
}
