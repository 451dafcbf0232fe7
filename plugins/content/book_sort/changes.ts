/**
 * Writes a new order of books, in one transaction. Where a book is kept sorted by a rule, entries change their chapter or book alone. The
 * permission to update the books allows it, with one limit: children that the viewer sees and may not update keep their order relative to
 * each other, so that nobody reorders the items of others. Books, chapters and pages are locked in that order, as in all other writes to the
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
  sql,
} from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { arrange, type Child, containerOf, isMoved, keepsOrder, keyOf, type Placement } from "./arrange.ts";
import type { BookOrder, BookSortContext, SortedBook } from "./contract.ts";
import { inOrderOf, keptRule, ranked } from "./kept_rules.ts";
import { entriesOfMove } from "./moves.ts";
import { relocate } from "./relocate.ts";
import { renumber } from "./renumber.ts";
import { seenKeys, withoutStale } from "./seen.ts";

type Context = Pick<BookSortContext, "contracts" | "visible">;

/** A child, with what the permission to change it depends on. */
type FoundChild = Child & Owned & { readonly name: string; readonly is_visible: boolean };

const lockBooks = prepared("book_sort.lockBooks", (db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("books")
    .selectAll()
    .where("id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .forNoKeyUpdate(),
);

interface ChildParameters {
  readonly bookIds: readonly number[];
  readonly visible: RawBuilder<boolean>;
}

const lockChapters = prepared("book_sort.lockChapters", (db, p: ChildParameters) =>
  db
    .selectFrom("chapters")
    .select([sql<"chapter">`'chapter'`.as("type"), "chapters.book_id", sql<null>`null`.as("chapter_id")])
    .select(["chapters.id", "chapters.name", "chapters.priority", "chapters.owned_by", "chapters.acl_id"])
    .select(p.visible.as("is_visible"))
    .where("chapters.book_id", "=", sql<number>`any(${p.bookIds}::integer[])`)
    .where("chapters.deleted_at", "is", null)
    .orderBy("chapters.id")
    .forUpdate(),
);

const lockPages = prepared("book_sort.lockPages", (db, p: ChildParameters) =>
  db
    .selectFrom("pages")
    .select([sql<"page">`'page'`.as("type"), "pages.book_id", "pages.chapter_id"])
    .select(["pages.id", "pages.name", "pages.priority", "pages.owned_by", "pages.acl_id"])
    .select(p.visible.as("is_visible"))
    .where("pages.book_id", "=", sql<number>`any(${p.bookIds}::integer[])`)
    .where("pages.deleted_at", "is", null)
    .where((eb) => eb.not(eb.ref("pages.draft")))
    .orderBy("pages.id")
    .forUpdate("pages"),
);

/**
 * Writes the requested order of one book or several. Throws 404 where a book is gone, 403, 422 for an entry that is in none of the books,
 * 409 for what others have moved since it was seen, and what `entriesOfMove` throws.
 */
export async function sortBooks(
  context: Context,
  { row, items, seen, books = [], move }: Draft<"book_sort">,
  tx: EventTransaction,
): Promise<SortedBook> {
  const orders: readonly BookOrder[] = [{ row, items, ...(seen && { seen }) }, ...books];
  const ids = orders.map((order) => order.row.id);
  const locked = await lockBooks.execute(tx.db, { ids });
  const book = locked.find(({ id }) => id === row.id);
  if (!book || locked.length < ids.length) throw notFound("Book");
  const children = await childrenOf(context, ids, tx);
  const wishes = move ? [{ row, items: entriesOfMove(children, move) }] : wishesOf(orders, children);
  const wanted = wishes.map(({ row: { id: bookId }, ...order }) => ({
    ...{ bookId, items: order.items, isPart: order.seen !== undefined },
  }));
  const placements = await inKeptOrder(ids, arrange(children, wanted), tx.db);
  await checkFixedOrder(context, placements, tx);
  await relocate(context, placements, tx);
  await renumber("chapter", placements, tx.db);
  await renumber("page", placements, tx.db);
  return book;
}

async function childrenOf(
  { visible }: Context,
  bookIds: readonly number[],
  { db, viewer }: EventTransaction,
): Promise<FoundChild[]> {
  const chapters = await lockChapters.execute(db, { bookIds, visible: visible.where("chapters", viewer) });
  const pages = await lockPages.execute(db, { bookIds, visible: visible.where("pages", viewer) });
  return [...chapters, ...pages];
}

/** The orders, without what is stale. Throws 422 for entries that the viewer neither sees nor has seen in the books. */
function wishesOf(orders: readonly BookOrder[], children: readonly FoundChild[]): readonly BookOrder[] {
  const known = seenKeys(orders);
  for (const child of children) if (child.is_visible) known.add(keyOf(child));
  const foreign = orders.flatMap(({ items }, at) =>
    items.flatMap(({ type, id, pages = [] }, index) =>
      [keyOf({ type, id }), ...pages.map((page) => `page ${page}`)].every((key) => known.has(key))
        ? []
        : [at === 0 ? `items.${index}` : `books.${at - 1}.items.${index}`],
    ),
  );
  if (foreign.length === 0) return withoutStale(orders, children);
  throw invalidFields(Object.fromEntries(foreign.map((key) => [key, `The ${key} names what is not in this book.`])));
}

/** The placements, those of books that are kept sorted in the order of their rules. */
async function inKeptOrder<P extends Placement>(
  bookIds: readonly number[],
  placements: readonly P[],
  db: Executor,
): Promise<readonly P[]> {
  const held = Map.groupBy(placements, ({ book_id }) => book_id);
  const sorted: P[] = [];
  for (const [bookId, within] of held) {
    const rule = await keptRule(bookId, db);
    for (const each of rule ? inOrderOf(await ranked(bookIds, rule, db), within) : within) sorted.push(each);
  }
  return sorted;
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
  for (const container of Map.groupBy(unmoved, containerOf).values()) {
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
