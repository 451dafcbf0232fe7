/**
 * Moves chapters and pages to where an order places them, each by the event of a move, with the permissions of an update that moves it: to
 * change and to delete it, and to create such an item where it goes. Slugs stay within a book; in another one they are free ones of the names.
 */
import type { Owned } from "lectern/contracts";
import { type EventTransaction, freeSlug, localizedError, notFound, type Result, saveChanges, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { type Child, isMoved, type Placement } from "./arrange.ts";
import type { BookSortContext } from "./contract.ts";

type Context = Pick<BookSortContext, "contracts">;

/** A child with its name, and what the permission to change it depends on. */
type OwnedChild = Child & Owned & { readonly name: string };

const findBook = prepared("book_sort.findParentBook", (db, p: { id: number }) =>
  db
    .selectFrom("books")
    .select(["id", "id as book_id", "slug", "owned_by", "acl_id"])
    .where("id", "=", p.id)
    .where("deleted_at", "is", null),
);

const findChapter = prepared("book_sort.findParentChapter", (db, p: { id: number }) =>
  db
    .selectFrom("chapters")
    .select(["id", "book_id", "slug", "owned_by", "acl_id"])
    .where("id", "=", p.id)
    .where("deleted_at", "is", null),
);

const findPage = prepared("book_sort.findPage", (db, p: { id: number }) =>
  db.selectFrom("pages").selectAll().where("id", "=", p.id),
);

const findMovedChapter = prepared("book_sort.findMovedChapter", (db, p: { id: number }) =>
  db
    .selectFrom("chapters")
    .innerJoin("books", "books.id", "chapters.book_id")
    .selectAll("chapters")
    .select("books.slug as book_slug")
    .where("chapters.id", "=", p.id),
);

interface Place {
  readonly id: number;
  readonly bookId: number;
  readonly chapterId: number | null;
  readonly slug: string;
}

const setPlace = prepared("book_sort.setPlace", (db, p: Place) =>
  db
    .updateTable("pages")
    .set((eb) => ({
      book_id: p.bookId,
      chapter_id: p.chapterId,
      slug: p.slug,
      updated_at: eb.fn<string>("clock_timestamp"),
    }))
    .where("id", "=", p.id)
    .returningAll(),
);

/** Moves what these placements have elsewhere than it is. Throws 403 where the viewer may not, with the name. */
export async function relocate(
  context: Context,
  placements: readonly Placement<OwnedChild>[],
  tx: EventTransaction,
): Promise<void> {
  const moved = placements.filter(isMoved);
  const [chapters, pages] = [moved.filter(isChapter), moved.filter((placement) => !isChapter(placement))];
  const leaving = new Set(chapters.map(({ child }) => child.id));
  const isLeft = ({ child }: Placement) => child.chapter_id !== null && leaving.has(child.chapter_id);
  // Pages leave a chapter before it moves, and enter it afterwards: none is in a book in between that it does not stay in.
  for (const placement of pages.filter(isLeft)) await movePage(context, placement, tx);
  for (const placement of chapters) await moveChapter(context, placement, tx);
  for (const placement of pages) if (!isLeft(placement)) await movePage(context, placement, tx);
}

function isChapter({ child }: Placement): boolean {
  return child.type === "chapter";
}

async function movePage(
  context: Context,
  { child, book_id, chapter_id }: Placement<OwnedChild>,
  tx: EventTransaction,
): Promise<void> {
  const parent =
    chapter_id === null
      ? await findBook.executeTakeFirst(tx.db, { id: book_id })
      : await findChapter.executeTakeFirst(tx.db, { id: chapter_id });
  if (!parent || !(await mayMove(context, child, parent, tx))) throw refusal(child);
  const row = await findPage.executeTakeFirst(tx.db, { id: child.id });
  if (!row) throw notFound("Page");
  const place = { book_id: parent.book_id, chapter_id };
  await tx.perform("page_move", { row, parent: place }, async ({ parent: to }, { db }) => {
    const where = sql<boolean>`book_id = ${to.book_id}::integer`;
    const slug = to.book_id === row.book_id ? row.slug : await freeSlug(db, "pages", row.name, { id: row.id, where });
    const placed = { id: row.id, bookId: to.book_id, chapterId: to.chapter_id, slug };
    return (await setPlace.executeTakeFirst(db, placed)) as Result<"page_move">;
  });
}

async function moveChapter(
  context: Context,
  { child, book_id }: Placement<OwnedChild>,
  tx: EventTransaction,
): Promise<void> {
  const book = await findBook.executeTakeFirst(tx.db, { id: book_id });
  if (!book || !(await mayMove(context, child, book, tx))) throw refusal(child);
  const found = await findMovedChapter.executeTakeFirst(tx.db, { id: child.id });
  if (!found) throw notFound("Chapter");
  const draft = { row: { ...found, tags: [] }, to: { id: book.id, slug: book.slug } };
  await tx.perform("chapter_move", draft, async ({ row, to }, { db }) => {
    const where = sql<boolean>`book_id = ${to.id}::integer`;
    const slug = await freeSlug(db, "chapters", row.name, { id: row.id, where });
    const saved = await saveChanges(db, "chapters", row, { wanted: { book_id: to.id, slug } });
    return { ...saved, book_slug: to.slug };
  });
}

async function mayMove(
  { contracts: { access } }: Context,
  child: OwnedChild,
  parent: Owned,
  { viewer }: EventTransaction,
): Promise<boolean> {
  return (
    (await access.may(viewer, `${child.type}-update`, child)) &&
    (await access.may(viewer, `${child.type}-delete`, child)) &&
    (await access.may(viewer, `${child.type}-create`, parent))
  );
}

function refusal({ name }: OwnedChild) {
  return localizedError(403, "You do not have permission to move “:name”.", { name });
}
