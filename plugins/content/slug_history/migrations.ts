/**
 * The table of earlier addresses. Triggers write it, in the transaction that changes a slug or a book: an address changes
 * by updates, by moves, with the chapter of a page, and when an item is restored from the recycle bin under another slug.
 * No event covers all of these with the earlier address.
 */
import { sql } from "kysely";
import { type Migrations, runAsDefiner } from "lectern/db";

const TABLE = `create table slug_history (
  kind text not null,
  item_id integer not null,
  slug text not null,
  book_id integer not null default 0,
  book_slug text not null default '',
  until timestamptz not null default clock_timestamp(),
  primary key (kind, item_id, slug, book_id, book_slug)
)`;

const KEEP = `create function keep_slug_history() returns trigger language plpgsql as $$
declare held integer := 0;
begin
  if tg_argv[0] in ('page', 'chapter') then held := old.book_id; end if;
  insert into slug_history (kind, item_id, slug, book_id) values (tg_argv[0], old.id, old.slug, held)
    on conflict (kind, item_id, slug, book_id, book_slug) do update set until = excluded.until;
  return null;
end $$`;

/** For each kind its table, and when an address changes. The address of a draft page has no slug. */
const WATCHED = [
  ["bookshelf", "bookshelves", "slug", "old.slug <> new.slug"],
  ["book", "books", "slug", "old.slug <> new.slug"],
  ["chapter", "chapters", "slug, book_id", "old.slug <> new.slug or old.book_id <> new.book_id"],
  ["page", "pages", "slug, book_id", "not old.draft and (old.slug <> new.slug or old.book_id <> new.book_id)"],
] as const;

/** Revisions have the earlier addresses of pages from before this table, with the slug of the book. */
const FROM_REVISIONS = `insert into slug_history (kind, item_id, slug, book_slug, until)
  select 'page', pages.id, revisions.slug, revisions.book_slug, max(revisions.created_at)
  from page_revisions revisions
    join pages on pages.id = revisions.page_id
    join books on books.id = pages.book_id
  where revisions.slug <> '' and revisions.book_slug <> ''
    and (revisions.slug <> pages.slug or revisions.book_slug <> books.slug)
  group by pages.id, revisions.slug, revisions.book_slug`;

/** The steps of the table. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    const triggers = WATCHED.map(
      ([kind, table, columns, changed]) =>
        `create trigger keep_slug_history after update of ${columns} on ${table}
          for each row when (${changed}) execute function keep_slug_history('${kind}')`,
    );
    for (const text of [
      TABLE,
      "create index slug_history_by_slug on slug_history (slug, kind)",
      "create index slug_history_by_book on slug_history (book_id) where book_id <> 0",
      KEEP,
      ...triggers,
      FROM_REVISIONS,
    ])
      await sql.raw(text).execute(db);
  },
  // Whoever writes content need not be granted this table.
  "0002_definer": (db) => runAsDefiner(db, "keep_slug_history"),
};
