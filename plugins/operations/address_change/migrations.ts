import { sql } from "kysely";
import type { Migrations } from "lectern/db";

/** The table of the addresses that the instance was served at. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table served_addresses (
      url text primary key,
      used_at timestamptz not null default clock_timestamp()
    )`.execute(db);
  },
};
