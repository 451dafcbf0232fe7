import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** The table of tags; the second index finds items by what they are tagged with, whatever the case. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`
      create table tags (
        kind text not null,
        item_id integer not null,
        position integer not null,
        name text not null,
        value text not null default '',
        sort_order integer not null default 0,
        primary key (kind, item_id, position)
      );
      create index tags_by_name on tags (lower(name), lower(value), kind, item_id);
    `.execute(db);
  },
};
