/** What happens to pages when the book or chapter that contains them is deleted or moved. */
import { type EventTransaction, slugOf, sql, uniqueSlug } from "lectern/core";
import { rows } from "lectern/db";

/** Deletes the pages of a deleted book or chapter; pages deleted before keep their time of deletion (content-api 4.8). */
export async function deletePagesOf(
  column: "book_id" | "chapter_id",
  parentId: number,
  tx: EventTransaction,
): Promise<void> {
  await rows(
    tx.db,
    sql`update pages set deleted_at = now() where ${sql.ref(column)} = ${parentId}::integer and deleted_at is null`,
  );
}

/** Moves all pages of a chapter, deleted ones too, to its new book, with slugs that are free there (content-api 7). */
export async function movePagesOf(
  chapter: { readonly id: number; readonly book_id: number },
  tx: EventTransaction,
): Promise<void> {
  const pages = await rows<{ id: number; name: string; slug: string; draft: boolean }>(
    tx.db,
    sql`select id, name, slug, draft from pages where chapter_id = ${chapter.id}::integer order by id for update`,
  );
  if (pages.length === 0) return;
  const taken = await takenSlugs(chapter.book_id, pages, tx);
  const moved: { id: number; slug: string }[] = [];
  for (const { id, name, slug: present, draft } of pages) {
    // A draft page keeps its random slug, so that it takes none that another page could want.
    const slug = draft ? present : await uniqueSlug(name, async (candidate) => taken.has(candidate));
    taken.add(slug);
    moved.push({ id, slug });
  }
  await rows(
    tx.db,
    sql`update pages set book_id = ${chapter.book_id}::integer, slug = moved.slug, updated_at = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb) as moved(id integer, slug text)
      where pages.id = moved.id`,
  );
}

/** The slugs of these names that other pages of the book have. Suffixes are random, so slugs with one are not looked up. */
async function takenSlugs(
  bookId: number,
  pages: readonly { id: number; name: string }[],
  tx: EventTransaction,
): Promise<Set<string>> {
  const found = await rows<{ slug: string }>(
    tx.db,
    sql`select slug from pages where book_id = ${bookId}::integer and deleted_at is null
    and slug = any(${pages.map(({ name }) => slugOf(name))}::text[])
      and not id = any(${pages.map(({ id }) => id)}::integer[])`,
  );
  return new Set(found.map(({ slug }) => slug));
}
