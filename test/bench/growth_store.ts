/**
 * Fills a database with a wiki of many pages, for `growth.ts`: content of `permissions_data.ts` without overrides, and beside
 * them one book, one shelf and one owner with many pages, tags, revisions and comments. Secondary indexes are dropped for the time of the
 * inserts, which shortens a million pages from an hour to minutes.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { FULL, fill } from "./permissions_data.ts";

/** Pages of the large book, of the large owner, and below the large shelf, at most. */
export const LARGE = 100_000;
/** The large book, whose pages have no chapter; the shelf that has it and 1,999 others. */
export const LARGE_BOOK = 2;
export const LARGE_SHELF = 1;
/** The user who owns `LARGE` pages in many books. */
export const LARGE_OWNER = 500_001;

const TABLES = ["pages", "chapters", "books", "tags", "page_revisions", "comments"];
/** A text of about 40 words; most words are rare. */
const TEXT = `'common ground ' || case when n % 10 = 0 then 'tenth ' else '' end
  || case when n % 1000 = 0 then 'thousandth call the operator ' else 'the ' end
  || (select string_agg('word' || (abs(hashint4(n * 31 + k)) % (10 + (k % 100) * (k % 100) * 7)), ' ')
    from generate_series(1, 34) k)`;

/** Fills an empty, migrated database with so many pages. */
export async function fillGrowth(db: Db, pages: number, log: (line: string) => void): Promise<void> {
  const run = (text: string) => rows(db, sql.raw(text));
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    log(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  };
  const indexes = await rows<{ name: string; definition: string }>(
    db,
    sql`select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
      where indrelid::regclass::text = any(${TABLES}::text[])
        and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  for (const { name } of indexes) await run(`drop index ${name}`);
  const books = Math.max(4, Math.floor((FULL.books * pages) / FULL.pages));
  const large = Math.min(LARGE, Math.floor(pages / 10));
  await timed("rows", () => fill(db, { ...FULL, pages, books, overridden: 0, text: TEXT }));
  await timed("the large book and owner", async () => {
    await run(`update pages set book_id = ${LARGE_BOOK}, chapter_id = null
      where id > ${pages - large}`);
    await run(
      `insert into users (id, name, email, slug) values (${LARGE_OWNER}, 'Large', 'large@example.com', 'large')`,
    );
    await run(`update pages set owned_by = ${LARGE_OWNER}, created_by = ${LARGE_OWNER}, updated_by = ${LARGE_OWNER}
      where id % 10 = 3 and id <= ${large} * 10`);
    await run(`insert into bookshelves (id, name, slug, owned_by) values (${LARGE_SHELF}, 'Large', 'large', 1)`);
    await run(`insert into bookshelf_books (shelf_id, book_id, position)
      select ${LARGE_SHELF}, id, id from books where id <= least(2000, ${books})`);
  });
  await timed("tags, revisions, comments", async () => {
    await run(`insert into tags (kind, item_id, position, name, value)
      select 'page', id, 0, 'env', case when id % 2 = 0 then 'prod' else 'test' end from pages
      union all select 'page', id, 1, 'ver', (id % 100)::text from pages`);
    await run(`insert into page_revisions (page_id, number, name, slug, book_slug, html, markdown, text, summary, created_by)
      select id, 1, name, slug, 'book-' || book_id, html, markdown, text, '', created_by from pages`);
    await run(`insert into comments (page_id, local_id, html, content_ref, created_by, updated_by)
      select id, 1, '<p>A comment on ' || name || '</p>', '', created_by, updated_by from pages where id % 10 = 0`);
  });
  await timed("indexes", async () => {
    for (const { definition } of indexes) await run(definition);
    for (const table of ["users", "bookshelves"])
      await run(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
  });
  await timed("vacuum analyze", () => run("vacuum analyze"));
}
