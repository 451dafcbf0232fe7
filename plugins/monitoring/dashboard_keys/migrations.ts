import { sql } from "kysely";
import { idColumn, type Migrations, timeColumns } from "lectern/db";

/** Tables of the plugin. A key survives whoever made it (dashboard-stats 3.1). */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("dash_keys")
      .$call(idColumn)
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("token_key", "text", (column) => column.notNull().unique())
      .addColumn("secret_hash", "text", (column) => column.notNull())
      .addColumn("integration_type", "text", (column) =>
        column.notNull().check(sql`integration_type in ('dashboard', 'enrolment')`),
      )
      .addColumn("is_active", "boolean", (column) => column.notNull().defaultTo(true))
      .addColumn("expires_at", "timestamptz")
      .addColumn("allowed_ip_ranges", "jsonb", (column) => column.notNull().defaultTo(sql`'[]'`))
      .addColumn("max_hosts_per_day", "integer", (column) => column.notNull().defaultTo(100))
      .addColumn("hosts_made", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("hosts_made_on", "date")
      .addColumn("last_used_at", "timestamptz")
      .addColumn("last_used_ip", "text")
      .addColumn("last_refused_at", "timestamptz")
      .addColumn("last_refused_reason", "text")
      .addColumn("created_by", "integer", (column) => column.references("users.id").onDelete("set null"))
      .$call(timeColumns)
      .execute();
  },
};
