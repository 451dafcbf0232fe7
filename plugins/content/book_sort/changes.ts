/**
 * Writes a new order of a book, in one transaction. The permission to update the book allows it, with one limit: children
 * that the viewer sees and may not update keep their order relative to each other, so that nobody reorders the items of
 * others. Book, chapters and pages are locked in that order, as in all other writes to the contents of a book.
 */
import type { Owned } from "lectern/contracts";
import { ApiError, type EventTransaction, localizedError, notFound, type Result, sql } from "lectern/core";
import { rows } from "lectern/db";
import { arrange, type Child, keepsOrder, type Placement } from "./arrange.ts";
import type { BookSortContext, Entry, SortedBook } from "./contract.ts";

type Context = Pick<BookSortContext, "contracts" | "visible">;

/** A child, with what the permission to change it depends on. */
type FoundChild = Child & Owned & { readonly name: string; readonly is_visible: boolean };

/** Writes the requested order. Throws 404 where the book is gone, 403, and 422 for an entry that is not in the book. */
export async function sortBook(
  context: Context,
  { row, items }: { row: SortedBook; items: readonly Entry[] },
  tx: EventTransaction,
): Promise<SortedBook> {
  const [book] = await rows<SortedBook>(
    tx.db,
    sql`select * from books where id = ${row.id}::integer and deleted_at is null for no key update`,
  );
  if (!book) throw notFound("Book");
  const children = await childrenOf(context, book.id, tx);
  rejectForeignEntries(children, items);
  const placements = arrange(children, items);
  await checkFixedOrder(context, placements, tx);
  for (const placement of placements) if (isMoved(placement)) await movePage(context, book, placement, tx);
  await renumber("chapters", placements, tx);
  await renumber("pages", placements, tx);
  return book;
}

async function childrenOf(
  { visible }: Context,
  bookId: number,
  { db, viewer }: EventTransaction,
): Promise<FoundChild[]> {
  const sharedColumns = (table: "chapters" | "pages") => {
    const own = (column: string) => sql.ref(`${table}.${column}`);
    return sql`${own("id")}, ${own("name")}, ${own("priority")}, ${own("owned_by")}, ${own("acl_id")},
      ${visible.where(table, viewer)} as is_visible`;
  };
  const chapters = await rows<FoundChild>(
    db,
    sql`select 'chapter' as type, null as chapter_id, ${sharedColumns("chapters")} from chapters
      where chapters.book_id = ${bookId}::integer and chapters.deleted_at is null order by chapters.id for update`,
  );
  const pages = await rows<FoundChild>(
    db,
    sql`select 'page' as type, pages.chapter_id, ${sharedColumns("pages")} from pages
      where pages.book_id = ${bookId}::integer and pages.deleted_at is null and not pages.draft
      order by pages.id for update of pages`,
  );
  return [...chapters, ...pages];
}

/** Throws 422 for entries that the viewer does not see in the book. */
function rejectForeignEntries(children: readonly FoundChild[], items: readonly Entry[]): void {
  const known = new Set(children.filter((child) => child.is_visible).map(({ type, id }) => `${type} ${id}`));
  const foreign = items.flatMap(({ type, id, pages = [] }, index) =>
    [`${type} ${id}`, ...pages.map((page) => `page ${page}`)].every((key) => known.has(key)) ? [] : [index],
  );
  if (foreign.length === 0) return;
  const validation = Object.fromEntries(
    foreign.map((index) => [`items.${index}`, [`The items.${index} names what is not in this book.`]]),
  );
  throw new ApiError(422, "The given data was invalid.", { validation });
}

/** Throws 403 where children that the viewer may not update would change their order relative to each other. */
async function checkFixedOrder(
  { contracts: { access } }: Context,
  placements: readonly Placement<FoundChild>[],
  tx: EventTransaction,
): Promise<void> {
  const unmoved = placements.filter((placement) => !isMoved(placement));
  for (const container of Map.groupBy(unmoved, ({ chapter_id }) => chapter_id).values()) {
    if (keepsOrder(container)) continue;
    const fixed: Placement<FoundChild>[] = [];
    for (const placement of container) {
      const { child } = placement;
      // A hidden child cannot be named: it moves with what it follows, and no error may reveal it.
      if (!child.is_visible || (await access.may(tx.viewer, `${child.type}-update`, child))) continue;
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
  const table = chapter_id === null ? sql`books` : sql`chapters`;
  const [parent] = await rows<Owned>(
    tx.db,
    sql`select * from ${table} where id = ${chapter_id ?? book.id}::integer and deleted_at is null`,
  );
  const may =
    (await access.may(tx.viewer, "page-update", child)) &&
    (await access.may(tx.viewer, "page-delete", child)) &&
    parent !== undefined &&
    (await access.may(tx.viewer, "page-create", parent));
  if (!may) throw localizedError(403, "You do not have permission to move “:name”.", { name: child.name });
  const [row] = await rows<Result<"page_move">>(tx.db, sql`select * from pages where id = ${child.id}::integer`);
  if (!row) throw notFound("Page");
  await tx.perform("page_move", { row, parent: { book_id: book.id, chapter_id } }, async (final, { db }) => {
    const [moved] = await rows<Result<"page_move">>(
      db,
      sql`update pages set chapter_id = ${final.parent.chapter_id}::integer, updated_at = clock_timestamp()
        where id = ${child.id}::integer returning *`,
    );
    return moved as Result<"page_move">;
  });
}

/** Writes changed priorities. The order is no content of an item, so `updated_at` stays. */
async function renumber(
  table: "chapters" | "pages",
  placements: readonly Placement<FoundChild>[],
  { db }: EventTransaction,
): Promise<void> {
  const type = table === "chapters" ? "chapter" : "page";
  const changed = placements
    .filter(({ child, priority }) => child.type === type && child.priority !== priority)
    .map(({ child, priority }) => ({ id: child.id, priority }));
  if (changed.length === 0) return;
  await rows(
    db,
    sql`update ${sql.table(table)} as item set priority = sent.priority
      from jsonb_to_recordset(${JSON.stringify(changed)}::text::jsonb) as sent(id integer, priority integer)
      where item.id = sent.id`,
  );
}
