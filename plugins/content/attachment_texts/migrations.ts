import { sql } from "lectern/core";
import { compressWithLz4, type Migrations } from "lectern/db";

/** The texts of attachments. `page_id` has no foreign key, since the table of pages belongs to another plugin. */
export const migrations: Migrations = {
  // Every search reads the pending list of an index, so it is kept short. Rows are found by state for the report of what cannot be read.
  async "0001_init"(db) {
    await sql`
      create table attachment_texts (
        attachment_id integer primary key,
        page_id integer not null,
        name text not null,
        file_key text,
        state text not null,
        reason text,
        tries integer not null default 0,
        text text,
        words tsvector,
        read_at timestamptz
      );
      create index attachment_texts_by_page on attachment_texts (page_id);
      create index attachment_texts_by_word on attachment_texts using gin (words) with (gin_pending_list_limit = 512);
      create index attachment_texts_unread on attachment_texts (state, attachment_id)
        where state in ('waiting', 'failed')`.execute(db);
    await compressWithLz4(db, "attachment_texts", ["text", "words"]);
  },
};
