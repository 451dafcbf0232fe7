/** What the schema has, as the catalogs say it. */
import { sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** Names of columns by table. */
export type ColumnNames = Readonly<Record<string, readonly string[]>>;

/**
 * The names of the tables.
 * @example
 * const hasNotes = (await tableNames(db)).includes("notes");
 */
export async function tableNames(db: Db): Promise<string[]> {
  // A template, here and below: Kysely's builder has no words for catalogs.
  const found = await rows(
    db,
    sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`,
  );
  return found.map(({ name }) => name);
}

/**
 * The first of these that names a table which does not exist.
 * @example
 * const missing = await firstMissingTable(db, [{ name: "notes", table: "note_links" }]);
 */
export async function firstMissingTable(
  db: Db,
  wanted: readonly { readonly name: string; readonly table: string }[],
): Promise<{ readonly name: string; readonly table: string } | undefined> {
  const given = sql<{ name: string; table: string }>`jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb)`;
  return db
    .selectFrom(given.as<"wanted">(sql`wanted(name text, "table" text)`))
    .select(["wanted.name", "wanted.table"])
    .where(({ ref }) => sql<boolean>`to_regclass(quote_ident(${ref("wanted.table")})) is null`)
    .limit(1)
    .executeTakeFirst();
}

/**
 * Whether there is a table, view or sequence of this name.
 * @example
 * if (await hasTable(db, "notes")) await db.deleteFrom("notes").execute();
 */
export async function hasTable(db: Db, name: string): Promise<boolean> {
  // A template: see above.
  const [found] = await rows(db, sql<{ is: boolean }>`select to_regclass(quote_ident(${name})) is not null as is`);
  return found?.is ?? false;
}

/**
 * The columns of two lists by table.
 * @example
 * const columns = addColumns({ notes: ["id"] }, { notes: ["name"] });
 */
export function addColumns(some: ColumnNames, more: ColumnNames): Record<string, string[]> {
  const tables = new Set([...Object.keys(some), ...Object.keys(more)]);
  const joined = [...tables].map((table) => [table, [...new Set([...(some[table] ?? []), ...(more[table] ?? [])])]]);
  return Object.fromEntries(joined);
}

/**
 * Those of these columns that exist.
 * @example
 * const present = await presentColumns(db, { notes: ["id", "color"] });
 */
export async function presentColumns(db: Db, columns: ColumnNames): Promise<ColumnNames> {
  if (Object.keys(columns).length === 0) return columns;
  const missing = new Set((await missingColumns(db, [columns])).map(({ table, column }) => `${table}.${column}`));
  const present = Object.entries(columns).map(([table, names]) => [
    table,
    names.filter((name) => !missing.has(`${table}.${name}`)),
  ]);
  return Object.fromEntries(present);
}

/**
 * Those of the columns of several lists that do not exist.
 * @example
 * const [missing] = await missingColumns(db, [{ notes: ["id", "color"] }]);
 */
export async function missingColumns(
  db: Db,
  lists: readonly ColumnNames[],
): Promise<readonly { readonly table: string; readonly column: string }[]> {
  const all = lists.reduce<ColumnNames>(addColumns, {});
  const wanted = Object.entries(all).flatMap(([table, names]) => names.map((column) => ({ table, column })));
  if (wanted.length === 0) return [];
  // A template: see above.
  return rows(
    db,
    sql<{ table: string; column: string }>`
    select wanted.* from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as wanted("table" text, "column" text)
    where not exists (select from pg_attribute
      where attrelid = to_regclass(quote_ident(wanted."table")) and attname = wanted."column" and attnum > 0 and not attisdropped)`,
  );
}
