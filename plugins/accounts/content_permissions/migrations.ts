import { sql } from "kysely";
import type { Migrations } from "lectern/db";

/** The table of overrides. It has no foreign keys: items are in several tables, and deleted roles are handled by an event. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await sql`
      create table entity_permissions (
        id integer primary key generated always as identity,
        kind text not null,
        item_id integer not null,
        role_id integer not null,
        view boolean not null,
        "create" boolean not null,
        update boolean not null,
        delete boolean not null,
        unique (kind, item_id, role_id)
      );
      create index entity_permissions_of_role on entity_permissions (role_id);
    `.execute(db);
  },
};
