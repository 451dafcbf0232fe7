import { sql } from "kysely";
import { idColumn, type Migrations, timeColumns } from "lectern/db";

/** The tables of the plugin. */
export const migrations: Migrations = {
  async "0001_init"(db) {
    await db.schema
      .createTable("api_tokens")
      .$call(idColumn)
      .addColumn("user_id", "integer", (column) => column.notNull().references("users.id").onDelete("cascade"))
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("token_id", "text", (column) => column.notNull().unique())
      .addColumn("secret_hash", "text", (column) => column.notNull())
      .addColumn("expires_at", "date", (column) => column.notNull())
      .addColumn("last_used_at", "timestamptz")
      .$call(timeColumns)
      .execute();
    await db.schema.createIndex("api_tokens_by_user").on("api_tokens").column("user_id").execute();
  },
  async "0002_scope"(db) {
    await db.schema
      .alterTable("api_tokens")
      .addColumn("read_only", "boolean", (column) => column.notNull().defaultTo(false))
      .addColumn("permissions", "jsonb")
      .execute();
  },
  // Before this permission existed, tokens that could read pages could read their revisions.
  async "0003_revisions"(db) {
    await sql`update api_tokens set permissions = permissions || '["revision-view-all"]'
      where permissions ?| array['page-view-all', 'page-view-own']
        and not permissions ? 'revision-view-all'`.execute(db);
  },
};
