/**
 * Writes a new order of a book, in one transaction. Where the book is kept sorted by a rule, entries change their chapter alone. The
 * permission to update the book allows it, with one limit: children that the viewer sees and may not update keep their order relative to
 * each other, so that nobody reorders the items of others. Book, chapters and pages are locked in that order, as in all other writes to the
 * contents of a book.
 */
import type { Owned } from "lectern/contracts";
import {
  type Draft,
  type EventTransaction,
  invalidFields,
  localizedError,
  notFound,
  type RawBuilder,
  type Result,
  sql,
} from "lectern/core";
import { prepared } from "lectern/db";
import { arrange, type Child, keepsOrder, type Placement } from "./arrange.ts";
import type { BookSortContext, Entry, SortedBook } from "./contract.ts";
import { changeRule, inOrderOf, keptRule, ranked } from "./kept_rules.ts";
import { entriesOfMove } from "./moves.ts";
import { renumber } from "./renumber.ts";

type Context = Pick<BookSortContext, "contracts" | "visible">;

/** A child, with what the permission to change it depends on. */
type FoundChild = Child & Owned & { readonly name: string; readonly is_visible: boolean };

const lockBook = prepared("book_sort.lockBook", (db, p: { id: number }) =>
  db.selectFrom("books").selectAll().where("id", "=", p.id).where("deleted_at", "is", null).forNoKeyUpdate(),
);

interface ChildParameters {
  readonly bookId: number;
  readonly visible: RawBuilder<boolean>;
}

const lockChapters = prepared("book_sort.lockChapters", (db, p: ChildParameters) =>
  db
    .selectFrom("chapters")
    .select([sql<"chapter">`'chapter'`.as("type"), sql<null>`null`.as("chapter_id")])
    .select(["chapters.id", "chapters.name", "chapters.priority", "chapters.owned_by", "chapters.acl_id"])
    .select(p.visible.as("is_visible"))
    .where("chapters.book_id", "=", p.bookId)
    .where("chapters.deleted_at", "is", null)
    .orderBy("chapters.id")
    .forUpdate(),
);

const lockPages = prepared("book_sort.lockPages", (db, p: ChildParameters) =>
  db
    .selectFrom("pages")
    .select([sql<"page">`'page'`.as("type"), "pages.chapter_id"])
    .select(["pages.id", "pages.name", "pages.priority", "pages.owned_by", "pages.acl_id"])
    .select(p.visible.as("is_visible"))
    .where("pages.book_id", "=", p.bookId)
    .where("pages.deleted_at", "is", null)
    .where((eb) => eb.not(eb.ref("pages.draft")))
    .orderBy("pages.id")
    .forUpdate("pages"),
);

const findBook = prepared("book_sort.findParentBook", (db, p: { id: number }) =>
  db.selectFrom("books").select(["id", "owned_by", "acl_id"]).where("id", "=", p.id).where("deleted_at", "is", null),
);

const findChapter = prepared("book_sort.findParentChapter", (db, p: { id: number }) =>
  db.selectFrom("chapters").select(["id", "owned_by", "acl_id"]).where("id", "=", p.id).where("deleted_at", "is", null),
);

const findPage = prepared("book_sort.findPage", (db, p: { id: number }) =>
  db.selectFrom("pages").selectAll().where("id", "=", p.id),
);

const setChapter = prepared("book_sort.setChapter", (db, p: { id: number; chapterId: number | null }) =>
  db
    .updateTable("pages")
    .set((eb) => ({ chapter_id: p.chapterId, updated_at: eb.fn<string>("clock_timestamp") }))
    .where("id", "=", p.id)
    .returningAll(),
);

/** Writes the requested order. Throws 404 where the book is gone, 403, 422 for an entry that is not in the book, and what `entriesOfMove` throws. */
export async function sortBook(
  context: Context,
  { row, items, move, change }: Draft<"book_sort">,
  tx: EventTransaction,
): Promise<SortedBook> {
  const book = await lockBook.executeTakeFirst(tx.db, { id: row.id });
  if (!book) throw notFound("Book");
  const children = await childrenOf(context, book.id, tx);
  if (!move) rejectForeignEntries(children, items);
  const rule = change ? await changeRule(book.id, change, tx.db) : await keptRule(book.id, tx.db);
  const arranged = change ? asTheyAre(children) : arrange(children, move ? entriesOfMove(children, move) : items);
  const placements = rule ? inOrderOf(await ranked(book.id, rule, tx.db), arranged) : arranged;
  await checkFixedOrder(context, placements, tx);
  for (const placement of placements) if (isMoved(placement)) await movePage(context, book, placement, tx);
  await renumber("chapter", placements, tx.db);
  await renumber("page", placements, tx.db);
  return book;
}

/** The placements that children have. */
function asTheyAre<C extends Child>(children: readonly C[]): Placement<C>[] {
  return children.map((child) => ({ child, chapter_id: child.chapter_id, priority: child.priority }));
}

async function childrenOf(
  { visible }: Context,
  bookId: number,
  { db, viewer }: EventTransaction,
): Promise<FoundChild[]> {
  const chapters = await lockChapters.execute(db, { bookId, visible: visible.where("chapters", viewer) });
  const pages = await lockPages.execute(db, { bookId, visible: visible.where("pages", viewer) });
  return [...chapters, ...pages];
}

/** Throws 422 for entries that the viewer does not see in the book. */
function rejectForeignEntries(children: readonly FoundChild[], items: readonly Entry[]): void {
  const known = new Set(children.filter((child) => child.is_visible).map(({ type, id }) => `${type} ${id}`));
  const foreign = items.flatMap(({ type, id, pages = [] }, index) =>
    [`${type} ${id}`, ...pages.map((page) => `page ${page}`)].every((key) => known.has(key)) ? [] : [index],
  );
  if (foreign.length === 0) return;
  throw invalidFields(
    Object.fromEntries(
      foreign.map((index) => [`items.${index}`, `The items.${index} names what is not in this book.`]),
    ),
  );
}

/** Throws 403 where children that the viewer may not update would change their order relative to each other. */
async function checkFixedOrder(
  { contracts: { access } }: Context,
  placements: readonly Placement<FoundChild>[],
  tx: EventTransaction,
): Promise<void> {
  // Children of the same list and owner are alike, so that a book of thousands is not asked about one by one.
  const known = new Map<string, boolean>();
  const mayUpdate = async (child: FoundChild): Promise<boolean> => {
    const key = `${child.type} ${child.acl_id} ${child.owned_by}`;
    const may = known.get(key) ?? (await access.may(tx.viewer, `${child.type}-update`, child));
    known.set(key, may);
    return may;
  };
  const unmoved = placements.filter((placement) => !isMoved(placement));
  for (const container of Map.groupBy(unmoved, ({ chapter_id }) => chapter_id).values()) {
    if (keepsOrder(container)) continue;
    const fixed: Placement<FoundChild>[] = [];
    for (const placement of container) {
      const { child } = placement;
      // A hidden child cannot be named: it moves with what it follows, and no error may reveal it.
      if (!child.is_visible || (await mayUpdate(child))) continue;
      fixed.push(placement);
      if (keepsOrder(fixed.slice(-2))) continue;
      throw localizedError(403, "You do not have permission to move “:name”.", { name: child.name });
    }
  }
}

function isMoved({ child, chapter_id }: Placement): boolean {
  return child.chapter_id !== chapter_id;
}

/** Moves a page to another chapter of its book, or out of one, with the event and permissions of an update that moves it. */
async function movePage(
  { contracts: { access } }: Context,
  book: SortedBook,
  { child, chapter_id }: Placement<FoundChild>,
  tx: EventTransaction,
): Promise<void> {
  const parent =
    chapter_id === null
      ? await findBook.executeTakeFirst(tx.db, { id: book.id })
      : await findChapter.executeTakeFirst(tx.db, { id: chapter_id });
  const may =
    (await access.may(tx.viewer, "page-update", child)) &&
    (await access.may(tx.viewer, "page-delete", child)) &&
    parent !== undefined &&
    (await access.may(tx.viewer, "page-create", parent));
  if (!may) throw localizedError(403, "You do not have permission to move “:name”.", { name: child.name });
  const row = await findPage.executeTakeFirst(tx.db, { id: child.id });
  if (!row) throw notFound("Page");
  await tx.perform("page_move", { row, parent: { book_id: book.id, chapter_id } }, async (final, { db }) => {
    const moved = await setChapter.executeTakeFirst(db, { id: child.id, chapterId: final.parent.chapter_id });
    return moved as Result<"page_move">;
  });
}
