import { sql } from "lectern/core";
import type { Db } from "lectern/db";

/** Creates an empty table with the columns of content, for the kind of a plugin that a test adds. */
export async function createItems(db: Db, table: string): Promise<void> {
  await sql`create table ${sql.table(table)} (id integer generated always as identity primary key, name text not null,
    name_key text generated always as (text_key(name)) stored, slug text not null, created_by integer, updated_by integer,
    owned_by integer, created_at timestamptz not null default now(), updated_at timestamptz not null default now(),
    deleted_at timestamptz)`.execute(db);
}
