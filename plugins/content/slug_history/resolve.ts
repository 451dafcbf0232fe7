/**
 * Where an earlier address leads today. A book keeps its own history, and what lies in it remembers the book by id, so that
 * the address of a page is found through every slug its book ever had. Only what the reader sees is found: to everybody
 * else the old address says no more than one that never was.
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";

/** What resolving needs. */
export interface ResolveParts {
  readonly db: Db;
  /** The condition under which a viewer sees rows of a table. */
  readonly sees: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
}

const ITEM = /^\/(books|shelves)\/([^/]+)(?:\/(page|chapter)\/([^/]+))?(?=\/|$)/;

/** The path that a path below the instance's own leads to today, with what followed the item; undefined for none. */
export async function resolve(parts: ResolveParts, path: string, viewer: Viewer): Promise<string | undefined> {
  const [written, area, top = "", kind, slug = ""] = ITEM.exec(path) ?? [];
  if (written === undefined || (area === "shelves" && kind !== undefined)) return undefined;
  const [first, second] = [decoded(top), decoded(slug)];
  const current =
    kind === "page" || kind === "chapter"
      ? await heldItem(parts, kind, { book: first, slug: second }, viewer)
      : await topItem(parts, area === "books" ? "book" : "bookshelf", first, viewer);
  // Who asks under the present address was refused for another reason.
  return current === undefined || current === plain(area ?? "", first, kind, second)
    ? undefined
    : current + path.slice(written.length);
}

async function topItem(
  { db, sees }: ResolveParts,
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
      ) as held join ${items} on ${items}.id = held.id
      where ${sees(table, viewer)} order by held.until desc, held.id desc limit 1`,
  );
  return found && plain(kind === "book" ? "books" : "shelves", found.slug);
}

/** An address ended when the item left it or when the book did, whichever was first; the last to leave is meant. */
async function heldItem(
  { db, sees }: ResolveParts,
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
      ), held as (
        select ${items}.id, tops.until from tops join ${items} on ${items}.book_id = tops.id
          where ${items}.slug = ${slug} and ${items}.deleted_at is null
        union all
        select history.item_id, least(history.until, tops.until) from slug_history history
          join tops on tops.id = history.book_id where history.kind = ${kind} and history.slug = ${slug}
        union all
        select item_id, until from slug_history
          where kind = ${kind} and slug = ${slug} and book_slug = ${book}
      )
      select ${items}.slug, books.slug as book from held
        join ${items} on ${items}.id = held.id
        join books on books.id = ${items}.book_id
      where ${sees(table, viewer)} and ${sees("books", viewer)}
      order by held.until desc, held.id desc limit 1`,
  );
  return found && plain("books", found.book, kind, found.slug);
}

function plain(area: string, top: string, kind?: string, slug = ""): string {
  const first = `/${area}/${encodeURIComponent(top)}`;
  return kind === undefined ? first : `${first}/${kind}/${encodeURIComponent(slug)}`;
}

/** A slug that is written wrongly names nothing; NUL is refused by the store. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug).replaceAll("\0", "");
  } catch {
    return "";
  }
}
