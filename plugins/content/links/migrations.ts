import { sql } from "kysely";
import type { Migrations } from "lectern/db";

/** The table of links. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table content_links (
      from_kind text not null,
      from_id integer not null,
      to_kind text not null,
      to_id integer not null,
      path text not null,
      primary key (from_kind, from_id, path)
    )`.execute(db);
    await sql`create index content_links_to on content_links (to_kind, to_id)`.execute(db);
  },
};
