/**
 * The present address of an item by an earlier one. A book has its own history, and the history of its chapters and pages
 * refers to the book by id, so that a page is found under every slug that its book has had. Only items that the viewer
 * sees are found: for other viewers an earlier address is the same as one that never existed.
 */
import { sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { decodeSlug } from "../_items/slugs.ts";
import type { SlugHistoryContext } from "./contract.ts";

const ITEM = /^\/(books|shelves)\/([^/]+)(?:\/(page|chapter)\/([^/]+))?(?=\/|$)/;

/**
 * The present path of the item at a path below the instance's own, with the rest of that path after the item. Returns
 * undefined where there is no such item, or where the path is the item's present one.
 */
export async function presentPath(
  context: SlugHistoryContext,
  path: string,
  viewer: Viewer,
): Promise<string | undefined> {
  const [itemPath, section, topSegment = "", kind, segment = ""] = ITEM.exec(path) ?? [];
  if (itemPath === undefined || (section === "shelves" && kind !== undefined)) return undefined;
  const [top, slug] = [decodeSlug(topSegment), decodeSlug(segment)];
  const present =
    kind === "page" || kind === "chapter"
      ? await pathInBook(context, kind, { book: top, slug }, viewer)
      : await topLevelPath(context, section === "books" ? "book" : "bookshelf", top, viewer);
  // A request for the present path failed for another reason.
  return present === undefined || present === pathOf(section ?? "", top, kind, slug)
    ? undefined
    : present + path.slice(itemPath.length);
}

/** The present path of a book or shelf. */
async function topLevelPath(
  { db, visible }: SlugHistoryContext,
  kind: "book" | "bookshelf",
  slug: string,
  viewer: Viewer,
): Promise<string | undefined> {
  const table = kind === "book" ? "books" : "bookshelves";
  const items = sql.table(table);
  const [found] = await rows<{ slug: string }>(
    db,
    sql`select ${items}.slug from (
        select id, 'infinity'::timestamptz as until from ${items} where slug = ${slug} and deleted_at is null
        union all
        select item_id, until from slug_history where kind = ${kind} and slug = ${slug}
      ) as earlier join ${items} on ${items}.id = earlier.id
      where ${visible.where(table, viewer)} order by earlier.until desc, earlier.id desc limit 1`,
  );
  return found && pathOf(kind === "book" ? "books" : "shelves", found.slug);
}

/**
 * The present path of a page or chapter. An earlier address ended when the item or the book changed its slug, whichever was
 * first; of several items that had it, the last one is found.
 */
async function pathInBook(
  { db, visible }: SlugHistoryContext,
  kind: "page" | "chapter",
  { book, slug }: { book: string; slug: string },
  viewer: Viewer,
): Promise<string | undefined> {
  const table = kind === "page" ? "pages" : "chapters";
  const items = sql.table(table);
  const [found] = await rows<{ slug: string; book: string }>(
    db,
    sql`with tops as (
        select id, 'infinity'::timestamptz as until from books where slug = ${book} and deleted_at is null
        union all
        select item_id, until from slug_history where kind = 'book' and slug = ${book}
      ), earlier as (
        select ${items}.id, tops.until from tops join ${items} on ${items}.book_id = tops.id
          where ${items}.slug = ${slug} and ${items}.deleted_at is null
        union all
        select history.item_id, least(history.until, tops.until) from slug_history history
          join tops on tops.id = history.book_id where history.kind = ${kind} and history.slug = ${slug}
        union all
        select item_id, until from slug_history
          where kind = ${kind} and slug = ${slug} and book_slug = ${book}
      )
      select ${items}.slug, books.slug as book from earlier
        join ${items} on ${items}.id = earlier.id
        join books on books.id = ${items}.book_id
      where ${visible.where(table, viewer)} and ${visible.where("books", viewer)}
      order by earlier.until desc, earlier.id desc limit 1`,
  );
  return found && pathOf("books", found.book, kind, found.slug);
}

function pathOf(section: string, top: string, kind?: string, slug = ""): string {
  const topLevel = `/${section}/${encodeURIComponent(top)}`;
  return kind === undefined ? topLevel : `${topLevel}/${kind}/${encodeURIComponent(slug)}`;
}
