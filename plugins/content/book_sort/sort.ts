/**
 * Writes a new order of a book, in one transaction. The order is the book's, so who may update the book may change it; but
 * what they see and may not update keeps its order among its like, so that nothing is moved behind its owner's back. Book, chapters and pages are locked in that order, as whoever adds to the book or moves within it does.
 */
import type { Access, Owned } from "lectern/contracts";
import {
  ApiError,
  type EventTransaction,
  localizedError,
  notFound,
  type RawBuilder,
  type Result,
  sql,
  type Viewer,
} from "lectern/core";
import { rows, type TableName } from "lectern/db";
import { arrange, type Child, keepsOrder, type Placement } from "./arrange.ts";
import type { Entry, SortedBook } from "./contract.ts";

/** What sorting needs. */
export interface SortParts {
  readonly access: Access;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
}

/** A child with what decides about changing it. */
type Found = Child & Owned & { readonly name: string; readonly seen: boolean };

/** Puts the entries of a book into their order. Throws 404, 403, and 422 for an entry that is not there. */
export async function sortBook(
  parts: SortParts,
  { row, items }: { row: SortedBook; items: readonly Entry[] },
  tx: EventTransaction,
): Promise<SortedBook> {
  const [book] = await rows<SortedBook>(
    tx.db,
    sql`select * from books where id = ${row.id}::integer and deleted_at is null for no key update`,
  );
  if (!book) throw notFound("Book");
  const children = await childrenOf(parts, book.id, tx);
  refuseStrangers(children, items);
  const placements = arrange(children, items);
  await judgeOrder(parts, placements, tx);
  for (const placement of placements) if (isMoved(placement)) await move(parts, book, placement, tx);
  await renumber("chapters", placements, tx);
  await renumber("pages", placements, tx);
  return book;
}

async function childrenOf({ sees }: SortParts, bookId: number, { db, viewer }: EventTransaction): Promise<Found[]> {
  const shared = (table: "chapters" | "pages") => {
    const own = (column: string) => sql.ref(`${table}.${column}`);
    return sql`${own("id")}, ${own("name")}, ${own("priority")}, ${own("owned_by")}, ${own("acl_id")},
      ${sees(table, viewer)} as seen`;
  };
  const chapters = await rows<Found>(
    db,
    sql`select 'chapter' as type, null as chapter_id, ${shared("chapters")} from chapters
      where chapters.book_id = ${bookId}::integer and chapters.deleted_at is null order by chapters.id for update`,
  );
  const pages = await rows<Found>(
    db,
    sql`select 'page' as type, pages.chapter_id, ${shared("pages")} from pages
      where pages.book_id = ${bookId}::integer and pages.deleted_at is null and not pages.draft
      order by pages.id for update of pages`,
  );
  return [...chapters, ...pages];
}

function refuseStrangers(children: readonly Found[], items: readonly Entry[]): void {
  const seen = new Set(children.filter((child) => child.seen).map(({ type, id }) => `${type} ${id}`));
  const strange = items.flatMap(({ type, id, pages = [] }, index) =>
    [`${type} ${id}`, ...pages.map((page) => `page ${page}`)].every((key) => seen.has(key)) ? [] : [index],
  );
  if (strange.length === 0) return;
  const validation = Object.fromEntries(
    strange.map((index) => [`items.${index}`, [`The items.${index} names what is not in this book.`]]),
  );
  throw new ApiError(422, "The given data was invalid.", { validation });
}

/** Throws 403 where something that the viewer may not update would change its order among what else they may not. */
async function judgeOrder(
  { access }: SortParts,
  placements: readonly Placement<Found>[],
  tx: EventTransaction,
): Promise<void> {
  const stayed = placements.filter((placement) => !isMoved(placement));
  for (const container of Map.groupBy(stayed, ({ chapter_id }) => chapter_id).values()) {
    if (keepsOrder(container)) continue;
    const fixed: Placement<Found>[] = [];
    for (const placement of container) {
      const { child } = placement;
      // What is not seen was not named: it goes with what it follows, and no refusal tells of it.
      if (!child.seen || (await access.may(tx.viewer, `${child.type}-update`, child))) continue;
      fixed.push(placement);
      if (keepsOrder(fixed.slice(-2))) continue;
      throw localizedError(403, "You do not have permission to move “:name”.", { name: child.name });
    }
  }
}

function isMoved({ child, chapter_id }: Placement): boolean {
  return child.chapter_id !== chapter_id;
}

/** Moves a page to another place of its book, as its update would: by an event of its own, with the same permissions. */
async function move(
  { access }: SortParts,
  book: SortedBook,
  { child, chapter_id }: Placement<Found>,
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

/** Numbers what stands elsewhere than before; the order is none of an item's own content, so its times stay. */
async function renumber(
  table: "chapters" | "pages",
  placements: readonly Placement<Found>[],
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
