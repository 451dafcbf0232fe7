import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** The index that words are found by; what it is made of is the items' own. */
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
};
