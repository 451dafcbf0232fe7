import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** The table of the values. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table instance_settings (
      name text primary key,
      value text not null,
      plugin text not null
    )`.execute(db);
  },
};
