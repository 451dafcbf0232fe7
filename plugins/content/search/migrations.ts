import { sql } from "lectern/core";
import { compressWithLz4, createTrigramIndex, type Migrations } from "lectern/db";

/** The search index and its vocabulary, which are derived from the items, and the record of who viewed which item. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`
      create table search_index (
        kind text not null,
        item_id integer not null,
        document tsvector not null,
        primary key (kind, item_id)
      );
      create index search_index_words on search_index using gin (document)`.execute(db);
  },
  // Words as this server splits and normalises them. Earlier entries keep `document`, which is used until they are indexed
  // again. Ranking reads `digest`, which stays in the row; `words` is read through its index only. Every search reads the
  // pending list of an index, and now and then a writer merges it into the index, so the list is kept short.
  async "0002_folded"(db) {
    await sql`
      alter table search_index add column words tsvector, add column digest tsvector;
      alter table search_index alter column digest set storage main;
      create index search_index_by_word on search_index using gin (words) with (gin_pending_list_limit = 512);
      create index search_index_by_digest on search_index using gin (digest) with (gin_pending_list_limit = 512);
      create index search_index_stale on search_index (kind, item_id) where words is null;
      create table item_views (
        user_id integer not null,
        kind text not null,
        item_id integer not null,
        count integer not null default 1,
        viewed_at timestamptz not null default now(),
        primary key (user_id, kind, item_id)
      );
      create index item_views_by_item on item_views (kind, item_id)`.execute(db);
  },
  async "0003_engine_state"(db) {
    await db.schema
      .createTable("search_engine_state")
      .addColumn("kind", "text", (column) => column.primaryKey())
      .addColumn("engine", "text", (column) => column.notNull())
      .execute();
  },
  // Words joined by signs, such as "r&d", are words of their own. Earlier entries lack them, and are indexed again by the job after the
  // boot; they are known by `document`, which earlier versions that run beside leave empty.
  async "0004_joined_words"(db) {
    await sql`
      create index search_index_unjoined on search_index (kind, item_id)
        where (case when document = '2'::tsvector then true end) is null`.execute(db);
  },
  // No plan uses the index over `document`: of entries from before 0002, which alone have words there, search_index_stale leads to those.
  async "0005_compression"(db) {
    await sql`drop index search_index_words`.execute(db);
    await compressWithLz4(db, "search_index", ["words", "digest"]);
  },
  // The vocabulary: words of the index with their stems, by which a search finds other forms of its words, and what a misspelt word may
  // have meant. It has no unique key: two transactions may add the same word at a time, and neither waits for the other. Entries
  // without a number of words were written before there was a vocabulary, and are indexed again by the job after the boot.
  async "0006_vocabulary"(db) {
    await sql`
      alter table search_index add column word_count integer;
      create index search_index_uncounted on search_index (kind, item_id) where word_count is null;
      create table search_words (
        language text collate "C" not null,
        word text collate "C" not null,
        stem text collate "C"
      );
      create index search_words_by_word on search_words (language, word);
      create index search_words_by_stem on search_words (language, stem) where stem is not null`.execute(db);
    await createTrigramIndex(db, "search_words_trigrams", {
      table: "search_words",
      on: sql`word`,
      where: sql`true`,
    });
  },
  // What a user has opened last, for suggestions.
  async "0007_recent_views"(db) {
    await sql`create index item_views_recent on item_views (user_id, viewed_at)`.execute(db);
  },
};
