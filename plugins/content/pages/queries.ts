/**
 * Reads of pages: one for an answer, with its people and tags, or under its lock; those of a book for its
 * contents; those of chapters for single reads. Each is one statement.
 */
import { type BookEntry, type People, peopleOf, type ResponseFields, type Tag } from "lectern/contracts";
import { type EventTransaction, notFound, type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { chapterPagesFields, type FoundPage, type PageRow, type PagesContext } from "./contract.ts";
import { pageUrl } from "./urls.ts";

const LISTED_COLUMNS = [
  ...(["pages.id", "pages.book_id", "pages.chapter_id", "pages.name", "pages.slug", "pages.priority"] as const),
  ...(["pages.draft", "pages.revision_count", "pages.template", "pages.created_at", "pages.updated_at"] as const),
  ...(["pages.created_by", "pages.updated_by", "pages.owned_by", "pages.editor"] as const),
] as const;

/** The columns of rows of listings (content-api 8.1); needs a join with the page's book. */
export const LISTED: RawBuilder<unknown> = flattened(refs(...LISTED_COLUMNS, "books.slug as book_slug"));

/** All columns but `text` and `name_key`. */
export const READ_COLUMNS = [
  ...(["pages.id", "pages.book_id", "pages.chapter_id", "pages.name", "pages.slug", "pages.html"] as const),
  ...(["pages.markdown", "pages.rendered", "pages.priority", "pages.draft", "pages.template"] as const),
  ...(["pages.revision_count", "pages.editor", "pages.created_by", "pages.updated_by", "pages.owned_by"] as const),
  ...(["pages.acl_id", "pages.created_at", "pages.updated_at", "pages.deleted_at"] as const),
] as const;

const find = prepared(
  "pages.find",
  (db, p: { id: number; people: RawBuilder<People>; tags: RawBuilder<Tag[]>; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("pages")
      .select(READ_COLUMNS)
      .select([p.people.as("people"), p.tags.as("tags")])
      .where("pages.id", "=", p.id)
      .where(p.visible),
);

const lockPresent = prepared("pages.lock", (db, p: { id: number }) =>
  db.selectFrom("pages").selectAll().where("id", "=", p.id).where("deleted_at", "is", null).forUpdate(),
);

const ofBook = prepared("pages.ofBook", (db, p: { bookId: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("pages")
    .innerJoin("books", "books.id", "pages.book_id")
    .select(["pages.id", "pages.name", "pages.slug", "pages.book_id", "pages.chapter_id", "pages.draft"])
    .select(["pages.template", "pages.priority", "pages.created_at", "pages.updated_at", "books.slug as book_slug"])
    .where("pages.book_id", "=", p.bookId)
    .where(p.visible)
    .orderBy("pages.draft", "desc")
    .orderBy("pages.priority")
    .orderBy("pages.id"),
);

const ofChapters = prepared(
  "pages.ofChapters",
  (db, p: { chapterIds: readonly number[]; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("pages")
      .innerJoin("books", "books.id", "pages.book_id")
      .select(LISTED_COLUMNS)
      .select("books.slug as book_slug")
      .where("pages.chapter_id", "=", sql<number>`any(${p.chapterIds}::integer[])`)
      .where(p.visible)
      .orderBy("pages.draft", "desc")
      .orderBy("pages.priority")
      .orderBy("pages.id"),
);

const ALL = flattened(sql<boolean>`true`);

/** Reads a page with everything that its answer needs, in one statement. */
export function pageFinder({ db, contracts: { users, tags }, visible }: PagesContext) {
  const parts = {
    people: flattened(peopleOf(users, "pages")),
    tags: flattened(tags.of("page", refs("pages.id"))),
  };
  return {
    /** The page; undefined where the viewer does not see it. */
    visible: (viewer: Viewer, id: number): Promise<FoundPage | undefined> =>
      find.executeTakeFirst(db, { id, ...parts, visible: visible.where("pages", viewer) }),
    /** A page that was just written. Throws 404 where it was removed since. */
    async written(id: number): Promise<FoundPage> {
      const page = await find.executeTakeFirst(db, { id, ...parts, visible: ALL });
      if (!page) throw notFound("Page");
      return page;
    },
  };
}

/** The present row of a page, locked until the transaction ends. Throws 404 where it was deleted since. */
export async function lockPage(id: number, tx: EventTransaction): Promise<PageRow> {
  const page = await lockPresent.executeTakeFirst(tx.db, { id });
  if (!page) throw notFound("Page");
  return page;
}

/** The pages of a book that the viewer sees, drafts first, then by priority and id (content-api 5.3). */
export async function pagesOfBook(context: PagesContext, viewer: Viewer, bookId: number): Promise<BookEntry[]> {
  const found = await ofBook.execute(context.db, { bookId, visible: context.visible.where("pages", viewer) });
  return found.map(({ book_slug, ...page }) => ({
    ...page,
    url: pageUrl(context.baseUrl, book_slug, page),
    type: "page",
  }));
}

/** The key `pages` of single reads of chapters (content-api 7). */
export function pagesOfChapters({ db, visible }: PagesContext): ResponseFields {
  return {
    kind: "chapter",
    moment: "read",
    schema: chapterPagesFields,
    // Their book is that of the chapter.
    cached: { dependsOn: [{ table: "pages", column: "chapter_id", shown: true }], isSame: true },
    async add(ids, viewer) {
      const found = await ofChapters.execute(db, { chapterIds: [...ids], visible: visible.where("pages", viewer) });
      return new Map(ids.map((id) => [id, { pages: found.filter((page) => page.chapter_id === id) }]));
    },
  };
}
