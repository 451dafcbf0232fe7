import { type BookEntry, chapterPath } from "lectern/contracts";
import { notFound, type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Db, prepared } from "lectern/db";
import type { BookPlace, ChaptersContext } from "./contract.ts";

/** The largest priority that its column can store. */
const MAX_PRIORITY = 2_147_483_647;

const findBook = prepared("chapters.findBook", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("books").select(["id", "slug", "owned_by", "acl_id"]).where("books.id", "=", p.id).where(p.visible),
);

const ofBook = prepared("chapters.ofBook", (db, p: { bookId: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("chapters")
    .innerJoin("books", "books.id", "chapters.book_id")
    .select(["chapters.id", "chapters.name", "chapters.slug", "chapters.book_id", "chapters.priority"])
    .select(["chapters.created_at", "chapters.updated_at", "books.slug as book_slug"])
    .where("chapters.book_id", "=", p.bookId)
    .where(p.visible)
    .orderBy("chapters.priority")
    .orderBy("chapters.id"),
);

const priorityAtEnd = prepared("chapters.nextPriority", (db, p: { bookId: number }) => {
  const ofChapters = db
    .selectFrom("chapters")
    .select(({ fn }) => fn.max("priority").as("highest"))
    .where("book_id", "=", p.bookId)
    .where("deleted_at", "is", null);
  const ofPages = db
    .selectFrom("pages")
    .select(({ fn }) => fn.max("priority").as("highest"))
    .where("book_id", "=", p.bookId)
    .where("chapter_id", "is", null)
    .where((eb) => eb.not(eb.ref("draft")))
    .where("deleted_at", "is", null);
  const next = sql<number>`least(greatest(${ofChapters}, ${ofPages}, 1)::bigint + 1, ${sql.lit(MAX_PRIORITY)}::bigint)`;
  return db.selectNoFrom(next.as("next"));
});

/** The book that a chapter is to be in. Throws 404 unless the viewer sees it, 403 unless they may create chapters there. */
export async function bookForChapter(
  { contracts: { access }, db, visible }: ChaptersContext,
  viewer: Viewer,
  bookId: number,
): Promise<BookPlace> {
  const book = await findBook.executeTakeFirst(db, { id: bookId, visible: visible.where("books", viewer) });
  if (!book) throw notFound("Book");
  await access.need(viewer, "chapter-create", book);
  return { id: book.id, slug: book.slug };
}

/** The chapters of a book as entries of its contents (content-api 5.3). */
export async function chaptersOfBook(
  { baseUrl, db, visible }: ChaptersContext,
  viewer: Viewer,
  bookId: number,
): Promise<BookEntry[]> {
  const chapters = await ofBook.execute(db, { bookId, visible: visible.where("chapters", viewer) });
  return chapters.map(({ book_slug, ...chapter }) => ({
    ...chapter,
    url: baseUrl + chapterPath({ slug: book_slug }, chapter),
    type: "chapter",
  }));
}

/**
 * The priority of what is added at the end of a book: one more than the highest among its chapters and its direct pages
 * that are not drafts, at least 2 (content-api 4.5).
 */
export async function nextPriority(db: Db, bookId: number): Promise<number> {
  const found = await priorityAtEnd.executeTakeFirst(db, { bookId });
  return found?.next ?? 2;
}
