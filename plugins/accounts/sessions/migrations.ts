import { sql } from "kysely";
import { idColumn, type Migrations } from "lectern/db";

/** The tables of the plugin. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("sessions")
      .$call(idColumn)
      .addColumn("user_id", "integer", (column) => column.notNull().references("users.id").onDelete("cascade"))
      .addColumn("hash", "text", (column) => column.notNull().unique())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("agent", "text", (column) => column.notNull())
      .addColumn("created_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn("last_seen_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
      .execute();
    await db.schema.createIndex("sessions_by_user").on("sessions").column("user_id").execute();
    await db.schema.createIndex("sessions_by_last_seen_at").on("sessions").column("last_seen_at").execute();
  },
  async "0002_pending_sign_ins"(db) {
    await db.schema
      .createTable("pending_sign_ins")
      .addColumn("hash", "text", (column) => column.primaryKey())
      .addColumn("user_id", "integer", (column) => column.notNull().references("users.id").onDelete("cascade"))
      .addColumn("method", "text", (column) => column.notNull())
      .addColumn("step", "text", (column) => column.notNull())
      .addColumn("passed", sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))
      .addColumn("return_to", "text", (column) => column.notNull())
      .addColumn("expires_at", "timestamptz", (column) => column.notNull())
      .execute();
    await db.schema.createIndex("pending_sign_ins_by_user").on("pending_sign_ins").column("user_id").execute();
  },
};
