import { type ContentEntry, chapterPath, type Owned } from "lectern/contracts";
import { notFound, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { BookPlace, ChaptersContext } from "./contract.ts";

/** The largest priority that its column can store. */
const MAX_PRIORITY = 2_147_483_647;

/** The book that a chapter is to be in. Throws 404 unless the viewer sees it, 403 unless they may create chapters there. */
export async function bookForChapter(
  { contracts: { access }, db, visible }: ChaptersContext,
  viewer: Viewer,
  bookId: number,
): Promise<BookPlace> {
  const [book] = await rows<BookPlace & Owned>(
    db,
    sql`select books.* from books where books.id = ${bookId} and ${visible.where("books", viewer)}`,
  );
  if (!book) throw notFound("Book");
  await access.need(viewer, "chapter-create", book);
  return { id: book.id, slug: book.slug };
}

/** The chapters of a book as entries of its contents (content-api 5.3). */
export async function chaptersOfBook(
  { baseUrl, db, visible }: ChaptersContext,
  viewer: Viewer,
  bookId: number,
): Promise<ContentEntry[]> {
  const chapters = await rows<Omit<ContentEntry, "url" | "type"> & { readonly book_slug: string }>(
    db,
    sql`select chapters.id, chapters.name, chapters.slug, chapters.book_id, chapters.priority,
      chapters.created_at, chapters.updated_at, books.slug as book_slug
    from chapters join books on books.id = chapters.book_id
    where chapters.book_id = ${bookId} and ${visible.where("chapters", viewer)}
    order by chapters.priority, chapters.id`,
  );
  return chapters.map(
    ({ book_slug, ...chapter }) =>
      // The index signature of ContentEntry hides the named keys from a rest.
      ({
        ...chapter,
        url: baseUrl + chapterPath({ slug: book_slug }, chapter as ContentEntry),
        type: "chapter",
      }) as ContentEntry,
  );
}

/**
 * The priority of what is added at the end of a book: one more than the highest among its chapters and its direct pages
 * that are not drafts, at least 2 (content-api 4.5).
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
