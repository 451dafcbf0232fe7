import { type CreateTableBuilder, type RawBuilder, sql } from "kysely";
import type { TableName, Tables } from "./tables.ts";

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

/** A column of a declared table, such as "notes.id". */
export type ColumnName = { [Name in TableName]: `${Name}.${keyof Tables[Name] & string}` }[TableName];

/**
 * SQL for columns, for templates such as those of listings. The names are checked by the compiler, unlike those in a text.
 * @example
 * const columns = refs("notes.id", "notes.name", "users.name as author");
 */
export function refs(...names: readonly (ColumnName | `${ColumnName} as ${string}`)[]): RawBuilder<unknown> {
  const parts = names.map((name) => {
    const [column = "", alias] = name.split(" as ");
    return alias === undefined ? sql.ref(column) : sql`${sql.ref(column)} as ${sql.id(alias)}`;
  });
  return sql.join(parts);
}
