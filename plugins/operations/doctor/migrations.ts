import type { Migrations } from "lectern/db";

/** The table of the last results. */
export const migrations: Migrations = {
  async "0001_results"(db) {
    await db.schema
      .createTable("self_check_results")
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("count", "float8", (column) => column.notNull())
      .addColumn("examples", "jsonb", (column) => column.notNull())
      .addColumn("advice", "text")
      .addColumn("checked_at", "timestamptz", (column) => column.notNull())
      .execute();
  },
};
