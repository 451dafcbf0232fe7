import { type EventTransaction, slugOf, sql, uniqueSlug } from "lectern/core";
import { rows } from "lectern/db";

/** Pages go with the book or chapter that is deleted; those deleted before stay as they are (content-api 4.8). */
export async function followDeleted(
  column: "book_id" | "chapter_id",
  parentId: number,
  tx: EventTransaction,
): Promise<void> {
  await rows(
    tx.db,
    sql`update pages set deleted_at = now() where ${sql.ref(column)} = ${parentId}::integer and deleted_at is null`,
  );
}

/** All pages of a chapter, deleted ones too, go with it to another book, with slugs free there (content-api 7). */
export async function followMoved(
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
    // The slug of a draft page is random: it must take none that others could want.
    const slug = draft ? present : await uniqueSlug(name, async (wished) => taken.has(wished));
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

/** The plain slugs of these pages that others in the book hold; a suffix is random and needs no asking. */
async function takenSlugs(
  bookId: number,
  pages: readonly { id: number; name: string }[],
  tx: EventTransaction,
): Promise<Set<string>> {
  const others = await rows<{ slug: string }>(
    tx.db,
    sql`select slug from pages where book_id = ${bookId}::integer and deleted_at is null
    and slug = any(${pages.map(({ name }) => slugOf(name))}::text[])
      and not id = any(${pages.map(({ id }) => id)}::integer[])`,
  );
  return new Set(others.map(({ slug }) => slug));
}
