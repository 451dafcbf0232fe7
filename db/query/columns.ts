import { type CreateTableBuilder, sql } from "kysely";

type Table<Column extends string> = CreateTableBuilder<string, Column>;

/**
 * `id`: an identity integer and the primary key; inserts may set it. For `.$call(idColumn)`.
 * @example
 * await db.schema.createTable("notes").$call(idColumn).addColumn("name", "text").execute();
 */
export function idColumn<Column extends string>(table: Table<Column>): Table<Column | "id"> {
  return table.addColumn("id", "integer", (column) => column.primaryKey().generatedByDefaultAsIdentity());
}

/**
 * `created_at` and `updated_at`, `now()` by default. For `.$call(timeColumns)`.
 * @example
 * await db.schema.createTable("notes").$call(idColumn).$call(timeColumns).execute();
 */
export function timeColumns<Column extends string>(table: Table<Column>): Table<Column | "created_at" | "updated_at"> {
  return table
    .addColumn("created_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
    .addColumn("updated_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`));
}
