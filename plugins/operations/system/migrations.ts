import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** The table with the id of the instance. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`create table instance (id uuid not null, single boolean primary key default true check (single))`.execute(
      db,
    );
    await sql`insert into instance (id) values (gen_random_uuid())`.execute(db);
  },
};
