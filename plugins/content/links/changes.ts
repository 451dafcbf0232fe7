/**
 * Records links when content is saved: one statement finds the items that the addresses in the content name, as
 * far as the writer sees them, and writes a record for each; links that the content no longer has are deleted.
 */
import type { QueryCreator } from "kysely";
import { type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { prepared, type Tables } from "lectern/db";
import { addressesIn } from "./addresses.ts";
import type { LinkSource, LinksContext } from "./contract.ts";

const deleteOthers = prepared("links.deleteOthers", (db, p: LinkSource & { readonly paths: readonly string[] }) =>
  db
    .deleteFrom("content_links")
    .where("from_kind", "=", p.kind)
    .where("from_id", "=", p.id)
    .where("path", "<>", sql<string>`all(${p.paths}::text[])`),
);

/** An address in content, as `addressesIn` returns it. */
interface Named {
  path: string;
  kind: LinkSource["kind"];
  top: string;
  slug: string;
}

/** The items that addresses name, as far as the writer sees them. */
function selectNamed(db: QueryCreator<Tables & { named: Named }>, visible: Omit<RecordParameters, "addresses">) {
  const inBooks = () =>
    db
      .selectFrom("named")
      .innerJoin("books", (join) => join.onRef("books.slug", "=", "named.top").on("books.deleted_at", "is", null));
  const books = inBooks()
    .select(["named.kind", "books.id", "named.path"])
    .where("named.kind", "=", sql.lit("book"))
    .where(visible.books);
  const chapters = inBooks()
    .innerJoin("chapters", (join) =>
      join
        .onRef("chapters.book_id", "=", "books.id")
        .onRef("chapters.slug", "=", "named.slug")
        .on("chapters.deleted_at", "is", null),
    )
    .select(["named.kind", "chapters.id", "named.path"])
    .where("named.kind", "=", sql.lit("chapter"))
    .where(visible.chapters);
  const pages = inBooks()
    .innerJoin("pages", (join) =>
      join
        .onRef("pages.book_id", "=", "books.id")
        .onRef("pages.slug", "=", "named.slug")
        .on("pages.deleted_at", "is", null),
    )
    .select(["named.kind", "pages.id", "named.path"])
    .where("named.kind", "=", sql.lit("page"))
    .where(visible.pages);
  const shelves = db
    .selectFrom("named")
    .innerJoin("bookshelves", (join) =>
      join.onRef("bookshelves.slug", "=", "named.top").on("bookshelves.deleted_at", "is", null),
    )
    .select(["named.kind", "bookshelves.id", "named.path"])
    .where("named.kind", "=", sql.lit("bookshelf"))
    .where(visible.bookshelves);
  return books.unionAll(chapters).unionAll(pages).unionAll(shelves);
}

interface RecordParameters {
  /** A JSON array of `Named`. */
  readonly addresses: string;
  readonly books: RawBuilder<boolean>;
  readonly chapters: RawBuilder<boolean>;
  readonly pages: RawBuilder<boolean>;
  readonly bookshelves: RawBuilder<boolean>;
}

const record = prepared("links.record", (db, p: LinkSource & RecordParameters) =>
  db
    .with("named", (query) =>
      query
        .selectFrom(
          sql<Named>`jsonb_to_recordset(${p.addresses}::text::jsonb)`.as<"named">(
            sql`named(path text, kind text, top text, slug text)`,
          ),
        )
        .select(["named.path", "named.kind", "named.top", "named.slug"]),
    )
    .insertInto("content_links")
    .columns(["from_kind", "from_id", "to_kind", "to_id", "path"])
    .expression((eb) =>
      eb
        // The name of a common table expression is none of the tables that plugins declare.
        .selectFrom(selectNamed(db as unknown as QueryCreator<Tables & { named: Named }>, p).as("found"))
        .select([sql<LinkSource["kind"]>`${p.kind}::text`.as("from_kind"), sql<number>`${p.id}::integer`.as("from_id")])
        .select(["found.kind", "found.id", "found.path"]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["from_kind", "from_id", "path"])
        .doUpdateSet((eb) => ({ to_kind: eb.ref("excluded.to_kind"), to_id: eb.ref("excluded.to_id") })),
    ),
);

/**
 * Records the items of this instance that content links to. Addresses of no item are skipped, and so are new addresses of
 * items that the writer does not see: when such an item got another address, the rewritten link would reveal it. A
 * recorded link stays while the content has it. Content without links, before and after, costs no statement.
 */
export async function recordLinks(
  { baseUrl, visible }: Pick<LinksContext, "baseUrl" | "visible">,
  source: LinkSource,
  { before, after }: { before: string; after: string },
  tx: EventTransaction,
): Promise<void> {
  if (before === after) return;
  const { kind, id } = source;
  const addresses = addressesIn(after, baseUrl);
  if (before.includes(baseUrl)) await deleteOthers.write(tx.db, { kind, id, paths: addresses.map(({ path }) => path) });
  if (addresses.length === 0) return;
  await record.write(tx.db, {
    ...{ kind, id, addresses: JSON.stringify(addresses) },
    books: visible.where("books", tx.viewer),
    chapters: visible.where("chapters", tx.viewer),
    pages: visible.where("pages", tx.viewer),
    bookshelves: visible.where("bookshelves", tx.viewer),
  });
}
