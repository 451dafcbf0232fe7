import { sql } from "lectern/core";
import { compressWithLz4, type Migrations } from "lectern/db";

/** The table of drafts. Items and users are ids without foreign keys, as their tables belong to other plugins. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table page_drafts (
      user_id integer not null, kind text not null, item_id integer not null, slot text not null,
      name text not null, html text not null, markdown text not null, tags jsonb not null, base_revision integer,
      updated_at timestamptz not null default clock_timestamp(), primary key (kind, item_id, user_id, slot))`.execute(
      db,
    );
    await sql`create index page_drafts_by_user on page_drafts (user_id)`.execute(db);
    await sql`create index page_drafts_by_time on page_drafts (updated_at)`.execute(db);
  },
  async "0002_draft_pages"(db) {
    await sql`alter table page_drafts add column page_id integer`.execute(db);
    await sql`create unique index page_drafts_by_draft_page on page_drafts (page_id) where page_id is not null`.execute(
      db,
    );
  },
  async "0003_compression"(db) {
    await compressWithLz4(db, "page_drafts", ["html", "markdown"]);
  },
  async "0004_base_tags"(db) {
    await sql`alter table page_drafts add column base_tags jsonb`.execute(db);
  },
};
