/**
 * Links follow the items they lead to. Each record holds the address as the content has it, so what has to be rewritten
 * is found by comparing it with the address the item has now: nothing needs to be remembered from before a change, and
 * a link that was missed once is mended by the next change. Only recorded links are looked at, never all content.
 */
import { type Contracts, type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Source } from "./record.ts";

/** What rewriting needs. */
export interface FollowParts {
  readonly contracts: Pick<Contracts, "markup" | "pages">;
  readonly baseUrl: string;
}

/** Items whose addresses may have changed: one alone, or with all that lies in it. */
export interface Changed {
  readonly kind: Source["kind"];
  readonly id: number;
  readonly withContents: boolean;
}

interface Stale {
  readonly from_kind: Source["kind"];
  readonly from_id: number;
  readonly path: string;
  readonly current: string;
}

const SUMMARY = "System auto-update of internal links";
const TABLES = { book: "books", chapter: "chapters", bookshelf: "bookshelves", page: "pages" } as const;

/** Rewrites the links to items that have another address now (content-api 4.4). */
export async function followLinks(parts: FollowParts, changed: Changed, tx: EventTransaction): Promise<void> {
  const stale = await rows<Stale>(
    tx.db,
    sql`select from_kind, from_id, path, current from (${targetsOf(changed)}) as targets
    where path <> current order by from_kind, from_id`,
  );
  const sources = Map.groupBy(stale, ({ from_kind, from_id }) => `${from_kind} ${from_id}`);
  for (const links of sources.values()) {
    const [{ from_kind: kind, from_id: id }] = links as [Stale];
    const moved = new Map(links.map(({ path, current }) => [parts.baseUrl + path, parts.baseUrl + current]));
    if (kind === "page") await rewritePage(parts, id, moved, tx);
    else await rewriteDescription(parts, { kind, id }, moved, tx);
    await readdress(links, tx);
  }
}

/** The recorded links to the items with the address each item has now. */
function targetsOf({ kind, id, withContents }: Changed): RawBuilder<unknown> {
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
  const alone = (
    prefix: string,
    table: "books" | "bookshelves",
  ) => sql`${link}, ${prefix}::text || items.slug as current
    from ${sql.table(table)} items
    join content_links links on links.to_kind = ${kind} and links.to_id = items.id where items.id = ${id}::integer`;
  if (kind === "bookshelf") return alone("/shelves/", "bookshelves");
  if (kind === "page") return pages(sql`pages.id = ${id}::integer`);
  const inside = kind === "chapter" ? sql`pages.chapter_id = ${id}::integer` : sql`pages.book_id = ${id}::integer`;
  const itself = kind === "chapter" ? chapters(sql`chapters.id = ${id}::integer`) : alone("/books/", "books");
  const between = kind === "book" ? sql` union all ${chapters(sql`chapters.book_id = ${id}::integer`)}` : sql``;
  return withContents ? sql`${itself}${between} union all ${pages(inside)}` : itself;
}

async function rewritePage(
  { contracts }: FollowParts,
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
  { contracts }: FollowParts,
  { kind, id }: Source,
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

/** Records the new addresses; one that the content held already is not recorded twice. */
async function readdress(links: readonly Stale[], tx: EventTransaction): Promise<void> {
  const sent = JSON.stringify(links);
  await rows(
    tx.db,
    sql`
    with changed as (
      select * from jsonb_to_recordset(${sent}::text::jsonb)
        as changed(from_kind text, from_id integer, path text, current text)),
    gone as (
      delete from content_links links using changed
      where links.from_kind = changed.from_kind and links.from_id = changed.from_id and links.path = changed.path
      returning links.from_kind, links.from_id, links.to_kind, links.to_id, changed.current)
    insert into content_links (from_kind, from_id, to_kind, to_id, path) select distinct * from gone
    on conflict (from_kind, from_id, path) do update set to_kind = excluded.to_kind, to_id = excluded.to_id`,
  );
}
