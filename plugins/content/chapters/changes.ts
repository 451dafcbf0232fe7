/**
 * Creating, changing and moving chapters (content-api 4, 7). Every write that adds to a book locks the book first and the
 * chapter second: writers of one book wait for each other, each finds the next free priority and slug, and no chapter is
 * added to a book that is being deleted. The filter of an update takes these locks; another filter that then names a further book has it
 * locked after the chapter, so that two such writers can deadlock, and one of them is repeated. A move is an event of its own within the update; the plugin of pages moves the
 * chapter's pages in it.
 */
import { type EventTransaction, freeSlug, notFound, saveChanges, sql } from "lectern/core";
import { type Db, prepared } from "lectern/db";
import { insertItem, updateItem } from "../_items/changes.ts";
import { changedTemplate, templateFor } from "../_items/default_template.ts";
import {
  type BookPlace,
  CHAPTER,
  type Chapter,
  type ChapterChange,
  type ChapterDraft,
  type ChaptersContext,
  selectChapters,
} from "./contract.ts";
import { nextPriority } from "./queries.ts";

const lockPresentBook = prepared("chapters.lockBook", (db, p: { id: number }) =>
  db.selectFrom("books").select(["id", "slug"]).where("id", "=", p.id).where("deleted_at", "is", null).forNoKeyUpdate(),
);

const lockPresent = prepared("chapters.lockOnly", (db, p: { id: number }) =>
  db.selectFrom("chapters").where("id", "=", p.id).where("deleted_at", "is", null).forUpdate(),
);

const read = prepared("chapters.read", (db, p: { id: number }) => selectChapters(db).where("chapters.id", "=", p.id));

/** Creates a chapter at the end of its book, unless the draft names a priority. Throws 404 where the book is gone. */
export async function insertChapter(
  context: ChaptersContext,
  draft: ChapterDraft,
  tx: EventTransaction,
): Promise<Chapter> {
  const book = await lockBook(tx.db, draft.book_id);
  const columns = {
    book_id: book.id,
    priority: draft.priority ?? (await nextPriority(tx.db, book.id)),
    default_template_id: await templateFor(context, draft.default_template_id, tx),
  };
  const own = { columns, slugScope: within(book.id) };
  const { tags, ...chapter } = await insertItem(context, CHAPTER, draft, own, tx);
  return { ...chapter, book_slug: book.slug, tags };
}

/** The row of a chapter that an update starts from, locked after the book that it moves to. Throws 404. */
export async function lockForUpdate(
  { row, draft }: { readonly row: Chapter; readonly draft: ChapterChange },
  { db }: EventTransaction,
): Promise<Chapter> {
  if (draft.book_id !== undefined) await lockBook(db, draft.book_id);
  return { ...row, ...(await lockChapter(db, row.id)) };
}

/** Changes a locked chapter; moves it first where the draft names another book. */
export async function updateChapter(
  context: ChaptersContext,
  { row, draft }: { readonly row: Chapter; readonly draft: ChapterChange },
  tx: EventTransaction,
): Promise<Chapter> {
  const { book_id, priority } = draft;
  const isMoved = book_id !== undefined && book_id !== row.book_id;
  const placed = isMoved ? await moveChapter(row, await lockBook(tx.db, book_id), tx) : row;
  const template = await changedTemplate(context, placed.default_template_id, draft.default_template_id, tx);
  const columns = { book_id: placed.book_id, priority, default_template_id: template };
  const own = { columns, slugScope: within(placed.book_id) };
  return updateItem(context, CHAPTER, { row: placed, draft }, own, tx);
}

/** Moves a chapter to another book, with a slug that is free there. */
function moveChapter(row: Chapter, to: BookPlace, tx: EventTransaction): Promise<Chapter> {
  return tx.perform("chapter_move", { row, to }, async (final, { db }) => {
    const { id, name } = final.row;
    const slug = await freeSlug(db, "chapters", name, { id, where: within(final.to.id) });
    const moved = await saveChanges(db, "chapters", final.row, { wanted: { book_id: final.to.id, slug } });
    return { ...moved, book_slug: final.to.slug };
  });
}

function within(bookId: number) {
  return sql<boolean>`book_id = ${bookId}`;
}

/** The book, locked against changes and deletion until the transaction ends. Throws 404 where it is gone. */
async function lockBook(db: Db, id: number): Promise<BookPlace> {
  const book = await lockPresentBook.executeTakeFirst(db, { id });
  if (!book) throw notFound("Book");
  return book;
}

/** Two statements: one that joins while it waits for the lock would return the book from before the wait. */
async function lockChapter(db: Db, id: number): Promise<Omit<Chapter, "tags">> {
  if (!(await lockPresent.executeTakeFirst(db, { id }))) throw notFound("Chapter");
  return read.executeTakeFirstOrThrow(db, { id });
}
