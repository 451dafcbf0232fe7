import type { Migrations } from "lectern/db";

/** Tables of the plugin. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("throttles")
      .addColumn("key_hash", "text", (column) => column.primaryKey())
      .addColumn("count", "integer", (column) => column.notNull())
      .addColumn("ends_at", "timestamptz", (column) => column.notNull())
      .execute();
  },
};
