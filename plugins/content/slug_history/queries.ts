/**
 * The present address of an item by an earlier one. A book has its own history, and the history of its chapters and pages
 * refers to the book by id, so that a page is found under every slug that its book has had. Only items that the viewer
 * sees are found: for other viewers an earlier address is the same as one that never existed.
 */
import type { QueryCreator } from "kysely";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { decodeSlug } from "../_items/slugs.ts";
import type { SlugHistoryContext } from "./contract.ts";
import { BECAME_BOOK } from "./conversions.ts";

const ITEM = /^\/(books|shelves)\/([^/]+)(?:\/(page|chapter)\/([^/]+))?(?=\/|$)/;

const PRESENT = sql<string>`'infinity'::timestamptz`;

/** Reads the present slug of a book or shelf. Both tables have the columns that it names. */
const topLevelIn = (table: "books", kind: "book" | "bookshelf") =>
  prepared(`slug_history.find.${kind}`, (db, p: { slug: string; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom(table)
          .select(["id", PRESENT.as("until")])
          .where("slug", "=", p.slug)
          .where("deleted_at", "is", null)
          .unionAll(
            eb
              .selectFrom("slug_history")
              .select(["item_id as id", "until"])
              .where("kind", "=", sql.lit(kind))
              .where("slug", "=", p.slug),
          )
          .as("earlier"),
      )
      .innerJoin(table, `${table}.id`, "earlier.id")
      .select(`${table}.slug`)
      .where(p.visible)
      .orderBy("earlier.until", "desc")
      .orderBy("earlier.id", "desc")
      .limit(sql.lit(1)),
  );

const TOP_LEVEL = { book: topLevelIn("books", "book"), bookshelf: topLevelIn("bookshelves" as "books", "bookshelf") };

interface InBookParameters {
  readonly book: string;
  readonly slug: string;
  readonly visible: RawBuilder<boolean>;
  readonly bookVisible: RawBuilder<boolean>;
}

/** The books that have a slug or had it, with the time until which they did. */
function booksNamed(query: QueryCreator<Tables>, slug: string) {
  return query
    .selectFrom("books")
    .select(["id", PRESENT.as("until")])
    .where("slug", "=", slug)
    .where("deleted_at", "is", null)
    .unionAll(
      query
        .selectFrom("slug_history")
        .select(["item_id as id", "until"])
        .where("kind", "=", sql.lit("book"))
        .where("slug", "=", slug),
    );
}

/** Reads the present slugs of a page or chapter and of its book. Both tables have the columns that it names. */
const inBook = (table: "pages", kind: "page" | "chapter") =>
  prepared(`slug_history.find.${kind}`, (db, p: InBookParameters) =>
    db
      .with("tops", (query) => booksNamed(query, p.book))
      .with("earlier", (query) =>
        query
          .selectFrom("tops")
          .innerJoin(table, `${table}.book_id`, "tops.id")
          .select([`${table}.id`, "tops.until"])
          .where(`${table}.slug`, "=", p.slug)
          .where(`${table}.deleted_at`, "is", null)
          .unionAll(
            query
              .selectFrom("slug_history as history")
              .innerJoin("tops", "tops.id", "history.book_id")
              .select((eb) => [
                "history.item_id as id",
                eb.fn<string>("least", ["history.until", "tops.until"]).as("until"),
              ])
              .where("history.kind", "=", sql.lit(kind))
              .where("history.slug", "=", p.slug),
          )
          .unionAll(
            query
              .selectFrom("slug_history")
              .select(["item_id as id", "until"])
              .where("kind", "=", sql.lit(kind))
              .where("slug", "=", p.slug)
              .where("book_slug", "=", p.book),
          ),
      )
      .selectFrom("earlier")
      .innerJoin(table, `${table}.id`, "earlier.id")
      .innerJoin("books", "books.id", `${table}.book_id`)
      .select([`${table}.slug`, "books.slug as book"])
      .where(p.visible)
      .where(p.bookVisible)
      .orderBy("earlier.until", "desc")
      .orderBy("earlier.id", "desc")
      .limit(sql.lit(1)),
  );

const IN_BOOK = { page: inBook("pages", "page"), chapter: inBook("chapters" as "pages", "chapter") };

/** Reads the present slug of the book that a chapter has become. */
const ofConverted = prepared("slug_history.find.converted", (db, p: Omit<InBookParameters, "visible">) =>
  db
    .with("tops", (query) => booksNamed(query, p.book))
    .selectFrom("slug_history as history")
    .innerJoin("tops", "tops.id", "history.book_id")
    .innerJoin("books", "books.id", "history.item_id")
    .select("books.slug")
    .where("history.kind", "=", BECAME_BOOK)
    .where("history.slug", "=", p.slug)
    .where(p.bookVisible)
    .orderBy("history.until", "desc")
    .orderBy("history.item_id", "desc")
    .limit(sql.lit(1)),
);

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
  const found = await TOP_LEVEL[kind].executeTakeFirst(db, { slug, visible: visible.where(table, viewer) });
  return found && pathOf(kind === "book" ? "books" : "shelves", found.slug);
}

/**
 * The present path of a page or chapter, or of the book that a chapter has become. An earlier address ended when the item or the book changed its slug, whichever was
 * first; of several items that had it, the last one is found.
 */
async function pathInBook(
  { db, visible }: SlugHistoryContext,
  kind: "page" | "chapter",
  { book, slug }: { book: string; slug: string },
  viewer: Viewer,
): Promise<string | undefined> {
  const table = kind === "page" ? "pages" : "chapters";
  const bookVisible = visible.where("books", viewer);
  const found = await IN_BOOK[kind].executeTakeFirst(db, {
    ...{ book, slug, bookVisible },
    visible: visible.where(table, viewer),
  });
  if (found) return pathOf("books", found.book, kind, found.slug);
  const converted = kind === "chapter" && (await ofConverted.executeTakeFirst(db, { book, slug, bookVisible }));
  return converted ? pathOf("books", converted.slug) : undefined;
}

function pathOf(section: string, top: string, kind?: string, slug = ""): string {
  const topLevel = `/${section}/${encodeURIComponent(top)}`;
  return kind === undefined ? topLevel : `${topLevel}/${kind}/${encodeURIComponent(slug)}`;
}
