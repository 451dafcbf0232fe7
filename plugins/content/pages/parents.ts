import type { Owned } from "lectern/contracts";
import { type EventTransaction, notFound, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { PageParent, PagesContext } from "./contract.ts";

/** The book or chapter that a request names as the parent of a page. */
export interface NamedParent {
  readonly kind: "book" | "chapter";
  readonly id: number;
}

const NOUNS = { book: "Book", chapter: "Chapter" } as const;

const findBook = prepared("pages.findBook", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("books").select(["id", "owned_by", "acl_id"]).where("books.id", "=", p.id).where(p.visible),
);

const findChapter = prepared("pages.findChapter", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("chapters").select(["id", "owned_by", "acl_id"]).where("chapters.id", "=", p.id).where(p.visible),
);

interface LockParameters {
  readonly id: number;
  /** A slug, and the id of the page whose own slug counts as free. */
  readonly slug: string;
  readonly ownId: number;
}

/** SQL for whether a page of a book has the slug. The transaction that loses a race for it violates the unique index. */
const isTaken = (p: LockParameters, bookId: "books.id" | "chapters.book_id") =>
  sql<boolean>`exists (select from pages where slug = ${p.slug} and deleted_at is null and id <> ${p.ownId}::integer
    and book_id = ${sql.ref(bookId)})`.as("isTaken");

const lockBook = prepared("pages.lockBook", (db, p: LockParameters) =>
  db
    .selectFrom("books")
    .select(["id as book_id", sql<null>`null`.as("chapter_id"), "acl_id", isTaken(p, "books.id")])
    .where("id", "=", p.id)
    .where("deleted_at", "is", null)
    .forShare(),
);

const lockChapter = prepared("pages.lockChapter", (db, p: LockParameters) =>
  db
    .selectFrom("chapters")
    .select(["book_id", "id as chapter_id", "acl_id", isTaken(p, "chapters.book_id")])
    .where("id", "=", p.id)
    .where("deleted_at", "is", null)
    .forShare(),
);

/** The parent that a body names; the chapter where it names a book too (content-api 8.2, 8.4). */
export function parentIn(draft: {
  book_id?: number | undefined;
  chapter_id?: number | undefined;
}): NamedParent | undefined {
  if (draft.chapter_id !== undefined) return { kind: "chapter", id: draft.chapter_id };
  return draft.book_id === undefined ? undefined : { kind: "book", id: draft.book_id };
}

/** Whether a page is directly in this parent. */
export function isIn(page: PageParent, { kind, id }: NamedParent): boolean {
  return kind === "chapter" ? page.chapter_id === id : page.chapter_id === null && page.book_id === id;
}

/** Reads what decides about a parent. Throws its 404 where the viewer does not see it (content-api 1.4). */
export async function findParent(
  { db, visible }: PagesContext,
  viewer: Viewer,
  { kind, id }: NamedParent,
): Promise<Owned> {
  const parent =
    kind === "book"
      ? await findBook.executeTakeFirst(db, { id, visible: visible.where("books", viewer) })
      : await findChapter.executeTakeFirst(db, { id, visible: visible.where("chapters", viewer) });
  if (!parent) throw notFound(NOUNS[kind]);
  return parent;
}

/**
 * Takes a shared lock on the parent until the transaction ends: no page is added to a book or chapter that is being
 * deleted or moved, and writers do not block each other. Throws its 404 where it is gone. Returns the parent, its access list,
 * which does not change while it is locked, and whether the slug is taken in its book.
 */
export async function lockParent(
  { kind, id }: NamedParent,
  tx: EventTransaction,
  { slug, ownId }: Omit<LockParameters, "id"> = { slug: "", ownId: 0 },
): Promise<{ readonly parent: PageParent; readonly acl_id: number; readonly isTaken: boolean }> {
  const found = await (kind === "book" ? lockBook : lockChapter).executeTakeFirst(tx.db, { id, slug, ownId });
  if (!found) throw notFound(NOUNS[kind]);
  const { acl_id, isTaken, ...parent } = found;
  return { parent, acl_id, isTaken };
}
