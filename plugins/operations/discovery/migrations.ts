import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** The table with what search engines may do. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table discovery (
      robots text not null,
      sitemap boolean not null,
      single boolean primary key default true check (single)
    )`.execute(db);
  },
};
