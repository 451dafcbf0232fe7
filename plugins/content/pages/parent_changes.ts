/** What happens to pages when the chapter that contains them is moved. */
import { type EventTransaction, slugOf, sql, uniqueSlug } from "lectern/core";
import { prepared } from "lectern/db";

const lockOfChapter = prepared("pages.lockOfChapter", (db, p: { chapterId: number }) =>
  db
    .selectFrom("pages")
    .select(["id", "name", "slug", "draft"])
    .where("chapter_id", "=", p.chapterId)
    .orderBy("id")
    .forUpdate(),
);

const moveAll = prepared("pages.moveAll", (db, p: { bookId: number; moved: string }) =>
  db
    .updateTable("pages")
    .from(
      sql<{ id: number; slug: string }>`jsonb_to_recordset(${p.moved}::text::jsonb)`.as<"moved">(
        sql`moved(id integer, slug text)`,
      ),
    )
    .set((eb) => ({ book_id: p.bookId, slug: eb.ref("moved.slug"), updated_at: eb.fn<string>("clock_timestamp") }))
    .whereRef("pages.id", "=", "moved.id"),
);

const takenIn = prepared(
  "pages.takenSlugs",
  (db, p: { bookId: number; slugs: readonly string[]; exceptIds: readonly number[] }) =>
    db
      .selectFrom("pages")
      .select("slug")
      .where("book_id", "=", p.bookId)
      .where("deleted_at", "is", null)
      .where("slug", "=", sql<string>`any(${p.slugs}::text[])`)
      .where((eb) => eb.not(eb("id", "=", sql<number>`any(${p.exceptIds}::integer[])`))),
);

/** Moves all pages of a chapter, deleted ones too, to its new book, with slugs that are free there (content-api 7). */
export async function movePagesOf(
  chapter: { readonly id: number; readonly book_id: number },
  tx: EventTransaction,
): Promise<void> {
  const pages = await lockOfChapter.execute(tx.db, { chapterId: chapter.id });
  if (pages.length === 0) return;
  const taken = await takenSlugs(chapter.book_id, pages, tx);
  const moved: { id: number; slug: string }[] = [];
  for (const { id, name, slug: present, draft } of pages) {
    // A draft page keeps its random slug, so that it takes none that another page could want.
    const slug = draft ? present : await uniqueSlug(name, async (candidate) => taken.has(candidate));
    taken.add(slug);
    moved.push({ id, slug });
  }
  await moveAll.execute(tx.db, { bookId: chapter.book_id, moved: JSON.stringify(moved) });
}

/** The slugs of these names that other pages of the book have. Suffixes are random, so slugs with one are not looked up. */
async function takenSlugs(
  bookId: number,
  pages: readonly { id: number; name: string }[],
  tx: EventTransaction,
): Promise<Set<string>> {
  const found = await takenIn.execute(tx.db, {
    bookId,
    slugs: pages.map(({ name }) => slugOf(name)),
    exceptIds: pages.map(({ id }) => id),
  });
  return new Set(found.map(({ slug }) => slug));
}
