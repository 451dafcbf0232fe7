import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** How books are kept sorted. Books are ids without a foreign key, as their plugin owns them. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table book_sort_rules (book_id integer primary key, rule text not null)`.execute(db);
  },
};
