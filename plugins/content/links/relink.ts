/**
 * Rewrites links when the items that they lead to get another address. Each record has the address as the content has it,
 * so outdated links are found by comparing it with the item's present address: no state from before the change is needed,
 * and a link that was missed is rewritten by the next change. Only recorded links are read, never all content.
 */
import { type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { LinkSource, LinksContext } from "./contract.ts";

type Context = Pick<LinksContext, "baseUrl" | "contracts">;

/** Items whose addresses may have changed: one alone, or with everything in it. */
export interface ChangedItem extends LinkSource {
  readonly withContents: boolean;
}

/** A recorded link with the item's present path. */
interface OutdatedLink {
  readonly from_kind: LinkSource["kind"];
  readonly from_id: number;
  readonly path: string;
  readonly current: string;
}

const SUMMARY = "System auto-update of internal links";
const TABLES = { book: "books", chapter: "chapters", bookshelf: "bookshelves", page: "pages" } as const;

/** Rewrites the outdated links to items (content-api 4.4). */
export async function updateLinksTo(context: Context, changed: ChangedItem, tx: EventTransaction): Promise<void> {
  const outdated = await rows<OutdatedLink>(
    tx.db,
    sql`select from_kind, from_id, path, current from (${linksTo(changed)}) as targets
    where path <> current order by from_kind, from_id`,
  );
  const sources = Map.groupBy(outdated, ({ from_kind, from_id }) => `${from_kind} ${from_id}`);
  for (const links of sources.values()) {
    const [{ from_kind: kind, from_id: id }] = links as [OutdatedLink];
    const moved = new Map(links.map(({ path, current }) => [context.baseUrl + path, context.baseUrl + current]));
    if (kind === "page") await rewritePage(context, id, moved, tx);
    else await rewriteDescription(context, { kind, id }, moved, tx);
    await updateRecords(links, tx);
  }
}

/** SQL for the recorded links to the items, each with the item's present path. */
function linksTo({ kind, id, withContents }: ChangedItem): RawBuilder<unknown> {
  const link = sql`select links.from_kind, links.from_id, links.path`;
  const pages = (
    where: RawBuilder<unknown>,
  ) => sql`${link}, '/books/' || books.slug || '/page/' || pages.slug as current
    from pages join books on books.id = pages.book_id
    join content_links links on links.to_kind = 'page' and links.to_id = pages.id where ${where}`;
  const chapters = (
    where: RawBuilder<unknown>,
  ) => sql`${link}, '/books/' || books.slug || '/chapter/' || chapters.slug as current
    from chapters join books on books.id = chapters.book_id
    join content_links links on links.to_kind = 'chapter' and links.to_id = chapters.id where ${where}`;
  const topLevel = (
    prefix: string,
    table: "books" | "bookshelves",
  ) => sql`${link}, ${prefix}::text || items.slug as current
    from ${sql.table(table)} items
    join content_links links on links.to_kind = ${kind} and links.to_id = items.id where items.id = ${id}::integer`;
  if (kind === "bookshelf") return topLevel("/shelves/", "bookshelves");
  if (kind === "page") return pages(sql`pages.id = ${id}::integer`);
  const isInside = kind === "chapter" ? sql`pages.chapter_id = ${id}::integer` : sql`pages.book_id = ${id}::integer`;
  const itself = kind === "chapter" ? chapters(sql`chapters.id = ${id}::integer`) : topLevel("/books/", "books");
  const chaptersInside = kind === "book" ? sql` union all ${chapters(sql`chapters.book_id = ${id}::integer`)}` : sql``;
  return withContents ? sql`${itself}${chaptersInside} union all ${pages(isInside)}` : itself;
}

async function rewritePage(
  { contracts }: Context,
  id: number,
  moved: ReadonlyMap<string, string>,
  tx: EventTransaction,
): Promise<void> {
  const [page] = await rows<{ html: string; markdown: string }>(
    tx.db,
    sql`select html, markdown from pages where id = ${id}::integer for update`,
  );
  const content = page && (await contracts.markup.relink(page, moved, { viewer: tx.viewer }));
  if (content) await contracts.pages.rewrite(id, content, SUMMARY, tx);
}

async function rewriteDescription(
  { contracts }: Context,
  { kind, id }: LinkSource,
  moved: ReadonlyMap<string, string>,
  tx: EventTransaction,
): Promise<void> {
  const table = sql.table(TABLES[kind]);
  const [item] = await rows<{ html: string }>(
    tx.db,
    sql`select description_html as html from ${table} where id = ${id}::integer for update`,
  );
  const stored = item && { html: item.html, markdown: "" };
  const content = stored && (await contracts.markup.relink(stored, moved, { viewer: tx.viewer }));
  if (!content) return;
  await rows(
    tx.db,
    sql`update ${table} set description_html = ${content.html}, updated_at = clock_timestamp()
      where id = ${id}::integer`,
  );
}

/** Records the new paths; one that the content had already is not recorded twice. */
async function updateRecords(links: readonly OutdatedLink[], tx: EventTransaction): Promise<void> {
  await rows(
    tx.db,
    sql`
    with changed as (
      select * from jsonb_to_recordset(${JSON.stringify(links)}::text::jsonb)
        as changed(from_kind text, from_id integer, path text, current text)),
    gone as (
      delete from content_links links using changed
      where links.from_kind = changed.from_kind and links.from_id = changed.from_id and links.path = changed.path
      returning links.from_kind, links.from_id, links.to_kind, links.to_id, changed.current)
    insert into content_links (from_kind, from_id, to_kind, to_id, path) select distinct * from gone
    on conflict (from_kind, from_id, path) do update set to_kind = excluded.to_kind, to_id = excluded.to_id`,
  );
}
