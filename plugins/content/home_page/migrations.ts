import { sql } from "lectern/core";
import type { Migrations } from "lectern/db";

/** Favourites, choices of home pages, and what is viewed most. Items and users are ids without foreign keys, as other plugins own them. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`
      create table favourites (
        user_id integer not null,
        kind text not null,
        item_id integer not null,
        created_at timestamptz not null default now(),
        primary key (user_id, kind, item_id)
      );
      create index favourites_by_item on favourites (kind, item_id);
      create table home_choices (
        user_id integer primary key,
        shows text not null,
        item_id integer
      );
      create table most_viewed (
        kind text not null,
        item_id integer not null,
        views integer not null,
        primary key (kind, item_id)
      )`.execute(db);
  },
};
