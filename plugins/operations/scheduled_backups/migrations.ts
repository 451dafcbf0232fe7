import { sql } from "lectern/core";
import { idColumn, type Migrations } from "lectern/db";

/** The table of scheduled backups that have ended. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("scheduled_backups")
      .$call(idColumn)
      .addColumn("started_at", "timestamptz", (column) => column.notNull())
      .addColumn("ended_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn("outcome", "text", (column) => column.notNull())
      .addColumn("failed", "boolean", (column) => column.notNull())
      .execute();
  },
};
