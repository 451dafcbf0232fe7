import { sql } from "kysely";
import type { Migrations } from "lectern/db";

/** Migrations of this plugin's tables. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`
      create table migration_sources (
        source text primary key,
        run integer not null,
        finished boolean not null
      );
      create table migrated_items (
        source text not null,
        kind text not null,
        source_id integer not null,
        own_id integer not null,
        source_slug text not null,
        slug text not null,
        hash text,
        stamp text,
        run integer not null,
        primary key (source, kind, source_id)
      )`.execute(db);
  },
  async "0002_marks"(db) {
    await sql`
      alter table migration_sources add column activity_id integer, add column activity_at text, add column activity_seen integer[];
      alter table migrated_items add column listed text, add column overrides text`.execute(db);
  },
};
