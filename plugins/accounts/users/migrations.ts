import { sql } from "kysely";
import { idColumn, type Migrations, timeColumns } from "lectern/db";

/** The tables of the plugin. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("users")
      .$call(idColumn)
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("email_confirmed", "boolean", (column) => column.notNull().defaultTo(true))
      .addColumn("password", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("external_auth_id", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("slug", "text", (column) => column.notNull().unique())
      .addColumn("system_name", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("language", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("last_activity_at", "timestamptz")
      .$call(timeColumns)
      .execute();
    await sql`create unique index users_by_email on users (lower(email))`.execute(db);
    await sql`create index users_by_name on users (lower(name), id)`.execute(db);
    await sql`create index users_by_external_auth_id on users (lower(external_auth_id))
      where external_auth_id <> ''`.execute(db);
    for (const column of ["created_at", "updated_at", "last_activity_at"]) {
      await db.schema.createIndex(`users_by_${column}`).on("users").columns([column, "id"]).execute();
    }
    await db.schema
      .createTable("user_invites")
      .addColumn("user_id", "integer", (column) => column.primaryKey().references("users.id").onDelete("cascade"))
      .addColumn("hash", "text", (column) => column.notNull().unique())
      .addColumn("expires_at", "timestamptz", (column) => column.notNull())
      .execute();
  },
  async "0002_resets"(db) {
    await db.schema
      .createTable("user_resets")
      .addColumn("user_id", "integer", (column) => column.primaryKey().references("users.id").onDelete("cascade"))
      .addColumn("hash", "text", (column) => column.notNull().unique())
      .addColumn("expires_at", "timestamptz", (column) => column.notNull())
      .execute();
  },
  // The sort key of the name (core's text_key), cut to the size of an index entry. Codes are sorted by their bytes,
  // whatever the server's locale. The table is rewritten, so indexes that are not needed any more are dropped first.
  async "0003_name_key"(db) {
    await sql`
      drop index users_by_name, users_by_external_auth_id;
      alter table users add column name_key text collate "C"
        generated always as (left(text_key(name), 600)) stored;
      create index users_by_name on users (name_key, id);
      create index users_by_external_auth_id on users (lower(external_auth_id) collate "C")
        where external_auth_id <> ''`.execute(db);
  },
  async "0004_transfers"(db) {
    await db.schema
      .createTable("user_transfers")
      .$call(idColumn)
      .addColumn("user_id", "integer", (column) => column.notNull().unique())
      .addColumn("heir_id", "integer")
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("items", "integer")
      .addColumn("moved", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("created_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
      .execute();
  },
  async "0005_editor"(db) {
    await sql`alter table users add column editor text not null default ''`.execute(db);
  },
  async "0006_time_zone"(db) {
    await sql`alter table users add column time_zone text not null default ''`.execute(db);
  },
  async "0007_email_changes"(db) {
    await db.schema
      .createTable("user_email_changes")
      .addColumn("user_id", "integer", (column) => column.primaryKey().references("users.id").onDelete("cascade"))
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull().unique())
      .addColumn("expires_at", "timestamptz", (column) => column.notNull())
      .execute();
  },
  async "0008_inviters"(db) {
    await sql`alter table user_invites add column invited_by integer references users (id) on delete set null`.execute(
      db,
    );
    await sql`create index user_invites_by_inviter on user_invites (invited_by)`.execute(db);
  },
};
