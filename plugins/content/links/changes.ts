import { type EventTransaction, sql } from "lectern/core";
import { type TableName, write } from "lectern/db";
import { addressesIn } from "./addresses.ts";
import type { LinkSource, LinksContext } from "./contract.ts";

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
  const addresses = addressesIn(after, baseUrl);
  const paths = addresses.map(({ path }) => path);
  if (before.includes(baseUrl))
    await write(
      tx.db,
      sql`delete from content_links where from_kind = ${source.kind} and from_id = ${source.id}::integer
        and path <> all(${paths}::text[])`,
    );
  if (addresses.length === 0) return;
  const isVisible = (table: TableName) => visible.where(table, tx.viewer);
  await write(
    tx.db,
    sql`
    with named as (
      select * from jsonb_to_recordset(${JSON.stringify(addresses)}::text::jsonb)
        as named(path text, kind text, top text, slug text))
    insert into content_links (from_kind, from_id, to_kind, to_id, path)
    select ${source.kind}, ${source.id}::integer, found.kind, found.id, found.path from (
      select named.kind, books.id, named.path from named
        join books on books.slug = named.top and books.deleted_at is null
        where named.kind = 'book' and ${isVisible("books")}
      union all
      select named.kind, chapters.id, named.path from named
        join books on books.slug = named.top and books.deleted_at is null
        join chapters on chapters.book_id = books.id and chapters.slug = named.slug and chapters.deleted_at is null
        where named.kind = 'chapter' and ${isVisible("chapters")}
      union all
      select named.kind, pages.id, named.path from named
        join books on books.slug = named.top and books.deleted_at is null
        join pages on pages.book_id = books.id and pages.slug = named.slug and pages.deleted_at is null
        where named.kind = 'page' and ${isVisible("pages")}
      union all
      select named.kind, bookshelves.id, named.path from named
        join bookshelves on bookshelves.slug = named.top and bookshelves.deleted_at is null
        where named.kind = 'bookshelf' and ${isVisible("bookshelves")}) as found
    on conflict (from_kind, from_id, path) do update set to_kind = excluded.to_kind, to_id = excluded.to_id`,
  );
}
