/**
 * A wiki of a million pages with overrides, made by the store itself. Sizes are those of the issue; what is random is
 * drawn by hashes of the ids, so every run has the same rows. Overrides come from a few templates, as in a real instance,
 * where most restricted things are restricted in one of few ways.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** How much there is. */
export interface Sizes {
  readonly books: number;
  /** Per book. */
  readonly chapters: number;
  /** Over all; the first book has 5,000 of them. */
  readonly pages: number;
  readonly roles: number;
  /** Of items with overrides of their own, in a hundred. */
  readonly overridden: number;
  /** Ways in which items are restricted; each is a set of entries. */
  readonly templates: number;
  readonly owners: number;
  /** SQL for the text of page `n`; two words by default. */
  readonly text?: string;
}

/** The sizes that are asked for. */
export const FULL: Sizes = {
  books: 20_000,
  chapters: 3,
  pages: 1_000_000,
  roles: 50,
  overridden: 5,
  templates: 20,
  owners: 1_000,
};

/** Ids of roles begin here; owners are numbered from here too. */
export const FIRST_ROLE = 101;
export const FIRST_OWNER = 1_001;
/** Pages of the first book. */
export const BIG_BOOK = 5_000;

/** Fills an empty store: items with owners, roles, entries. Lists are made afterwards. */
export async function fill(db: Db, sizes: Sizes): Promise<void> {
  const { books, chapters, pages, roles, owners } = sizes;
  const run = (text: string) => rows(db, sql.raw(text));
  const owner = (id: string) => `${FIRST_OWNER} + abs(hashint4(${id} * 7 + 3)) % ${owners}`;
  const when = "timestamptz '2020-01-01' + (abs(hashint4(n * 13)) % 150000000) * interval '1 second'";
  const people = (id: string) => `${owner(id)}, ${owner(`${id} + 1`)}, ${owner(`${id} + 2`)}, ${when}, ${when}`;
  const columns = "owned_by, created_by, updated_by, created_at, updated_at";
  await run(
    `insert into roles (id, display_name) select ${FIRST_ROLE} + n, 'Role ' || n from generate_series(0, ${roles - 1}) n`,
  );
  await run(`insert into books (id, name, slug, ${columns})
    select n, 'Book ' || md5(n::text), 'book-' || n, ${people("n")} from generate_series(1, ${books}) n`);
  await run(`insert into chapters (id, book_id, name, slug, priority, ${columns})
    select n, 1 + (n - 1) / ${chapters}, 'Chapter ' || md5(n::text), 'chapter-' || n, n % ${chapters}, ${people("n")}
    from generate_series(1, ${books * chapters}) n`);
  const rest = books - 1;
  const text = sizes.text ?? "'Text ' || n";
  await run(`insert into pages (id, book_id, chapter_id, name, slug, html, markdown, text, rendered, priority, editor, ${columns})
    select n, book, case when n % 4 = 0 then null else (book - 1) * ${chapters} + 1 + n % ${chapters} end,
      'Page ' || md5(n::text), 'page-' || n, '<p>' || text || '</p>', '', text, '<p>' || text || '</p>',
      n % 50, 'wysiwyg', ${people("n")}
    from (select n, ${text} as text, case when n <= ${BIG_BOOK} then 1 else 2 + n % ${rest} end as book
      from generate_series(1, ${pages}) n) numbered`);
  for (const [kind, count] of [
    ["book", books],
    ["chapter", books * chapters],
    ["page", pages],
  ] as const)
    await run(entries(kind, count, sizes));
  for (const table of ["books", "chapters", "pages", "roles"])
    await run(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
}

/** One to three entries of roles and sometimes a fallback, by the template of the item. */
function entries(kind: string, count: number, { roles, overridden, templates }: Sizes): string {
  const salt = kind.length;
  return `insert into entity_permissions (kind, item_id, role_id, view, "create", update, delete)
    select '${kind}', n, role, allowed, allowed, allowed, allowed from (
      select n, abs(hashint4(n * 3 + ${salt})) % ${templates} as template from generate_series(2, ${count}) n
      where abs(hashint4(n * 17 + ${salt})) % 100 < ${overridden}) item
    cross join lateral (
      select ${FIRST_ROLE} + (template * 7 + place * 11 + ${salt}) % ${roles} as role, (template + place) % 10 < 7 as allowed
      from generate_series(0, template % 3) place
      union all select 0, false where template % 3 = 0) entry`;
}
