/**
 * How chapters are created, changed, moved and put into the bin (content-api 4, 7). Whoever adds to a book locks the
 * book first and the chapter second: so writers of one book take turns, each finds the next free priority and slug, and
 * no chapter lands in a book that goes into the bin meanwhile. A move is an event of its own within the update; the
 * pages of the chapter follow by joining it.
 */
import { saveTags } from "lectern/contracts";
import {
  authorOf,
  type EventTransaction,
  freeSlug,
  notFound,
  type ResourceHandlers,
  saveChanges,
  softDelete,
  sql,
  type Viewer,
} from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { ChaptersContext } from "./_context.ts";
import type { BookPlace, Chapter, ChapterChange, ChapterDraft, createRules, updateRules } from "./contract.ts";
import { nextPriority } from "./priority.ts";

type Handlers = ResourceHandlers<Chapter, typeof createRules, typeof updateRules, BookPlace>;

/** The handlers that write. */
export function writing(context: ChaptersContext): Pick<Handlers, "insert" | "change" | "remove"> {
  return {
    insert: (draft, tx) => insert(context, draft, tx),
    change: (row, draft, tx) => change(context, { row, draft }, tx),
    remove: ({ id }, { db }) => softDelete(db, "chapters", "Chapter", id),
  };
}

async function insert(context: ChaptersContext, draft: ChapterDraft, tx: EventTransaction): Promise<Chapter> {
  const {
    contracts: { tags, markup },
  } = context;
  const { db, viewer } = tx;
  const book = await lockBook(db, draft.book_id);
  const author = authorOf(viewer);
  const { description, description_html } = markup.describe(draft) ?? { description: "", description_html: "" };
  const priority = draft.priority ?? (await nextPriority(db, book.id));
  const slug = await slugIn(db, book.id, draft.name);
  const template = await templateOf(context, db, viewer, draft.default_template_id);
  const [chapter] = (await rows<Chapter>(
    db,
    sql`
    insert into chapters (book_id, name, slug, description, description_html, priority, default_template_id,
      created_by, updated_by, owned_by)
    values (${book.id}, ${draft.name}, ${slug}, ${description}, ${description_html}, ${priority}, ${template},
      ${author}, ${author}, ${author})
    returning *`,
  )) as [Chapter];
  const sent = draft.tags;
  const saved = sent === undefined ? [] : await saveTags(tags, { kind: "chapter", id: chapter.id, sent }, tx);
  return { ...chapter, book_slug: book.slug, tags: saved };
}

async function change(
  context: ChaptersContext,
  { row, draft }: { row: Chapter; draft: ChapterChange },
  tx: EventTransaction,
): Promise<Chapter> {
  const { db } = tx;
  const { id } = row;
  const target = draft.book_id === undefined ? undefined : await lockBook(db, draft.book_id);
  // Whoever joins compares with the row as it was when the lock was taken, not when it was looked up.
  Object.assign(row, await lockChapter(db, id));
  const placed = target && target.id !== row.book_id ? await move({ ...row }, target, tx) : row;
  const wanted = await wantedOf(context, { row: placed, draft }, tx);
  const saved = await saveChanges(db, "chapters", placed, { wanted, touched: draft.tags !== undefined });
  return { ...saved, tags: await saveTags(context.contracts.tags, { kind: "chapter", id, sent: draft.tags }, tx) };
}

/** The columns an update asks for, beside its book. */
async function wantedOf(
  context: ChaptersContext,
  { row, draft }: { row: Chapter; draft: ChapterChange },
  { db, viewer }: EventTransaction,
): Promise<Partial<Chapter>> {
  const { name, priority, default_template_id: asked } = draft;
  const renamed = name !== undefined && name !== row.name;
  // The template in force may be sent again even where it is no longer visible.
  const retemplated = asked !== undefined && asked !== row.default_template_id;
  return {
    ...context.contracts.markup.describe(draft),
    updated_by: authorOf(viewer),
    ...(priority !== undefined && { priority }),
    ...(renamed && { name, slug: await slugIn(db, row.book_id, name, row.id) }),
    ...(retemplated && { default_template_id: await templateOf(context, db, viewer, asked) }),
  };
}

/** Gives the chapter another book, and a slug that is free there. */
function move(row: Chapter, to: BookPlace, tx: EventTransaction): Promise<Chapter> {
  return tx.perform("chapter_move", { row, to }, async (final, { db }) => {
    const wanted = { book_id: final.to.id, slug: await slugIn(db, final.to.id, final.row.name, final.row.id) };
    return { ...(await saveChanges(db, "chapters", final.row, { wanted })), book_slug: final.to.slug };
  });
}

/** The template to store: the asked one if the viewer may use it, else none (content-api 4.7). */
async function templateOf(
  { visible }: ChaptersContext,
  db: Db,
  viewer: Viewer,
  asked: number | null | undefined,
): Promise<number | null> {
  if (!asked) return null;
  const [page] = await rows(
    db,
    sql`select 1 from pages
    where pages.id = ${asked} and pages.template and ${visible.where("pages", viewer)}`,
  );
  return page ? asked : null;
}

function slugIn(db: Db, bookId: number, name: string, id = 0): Promise<string> {
  return freeSlug(db, "chapters", name, { id, where: sql<boolean>`book_id = ${bookId}` });
}

/** The book, kept from changing and from going until the transaction ends. Throws the 404 where it is gone. */
async function lockBook(db: Db, id: number): Promise<BookPlace> {
  const [book] = await rows<BookPlace>(
    db,
    sql`
    select id, slug from books where id = ${id} and deleted_at is null for no key update`,
  );
  if (!book) throw notFound("Book");
  return book;
}

/** Locked first and joined after: a join that waits for the lock would compare with the book from before the wait. */
async function lockChapter(db: Db, id: number): Promise<Omit<Chapter, "tags">> {
  const locked = await rows(db, sql`select from chapters where id = ${id} and deleted_at is null for update`);
  if (locked.length === 0) throw notFound("Chapter");
  const [chapter] = await rows<Chapter>(
    db,
    sql`select chapters.*, books.slug as book_slug from chapters join books on books.id = chapters.book_id
    where chapters.id = ${id}`,
  );
  return chapter as Chapter;
}
