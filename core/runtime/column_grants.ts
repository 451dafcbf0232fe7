/** Grants of single columns: `grants.columns` names, by table, columns that a plugin may read of tables that it may not. */
import { sql } from "kysely";
import { type Db, rows } from "../../db/mod.ts";
import type { VisibilityReads } from "../resources/visibility.ts";
import type { Grants } from "./plugin.ts";

/** Columns that a plugin may read, by table. */
export type ColumnGrants = VisibilityReads;

type Columns = Readonly<Record<string, readonly string[]>>;

/** Whether what the operator denied includes the columns: who may read no tables may read no columns of tables either. */
export function deniesColumns(denied: readonly (keyof Grants)[]): boolean {
  return denied.includes("columns") || denied.includes("read");
}

/** The columns of two lists by table. */
export function addColumns(some: Columns, more: Columns): Record<string, string[]> {
  const tables = new Set([...Object.keys(some), ...Object.keys(more)]);
  const joined = [...tables].map((table) => [table, [...new Set([...(some[table] ?? []), ...(more[table] ?? [])])]]);
  return Object.fromEntries(joined);
}

/** Those of these columns that exist in the store. */
export async function presentColumns(db: Db, columns: Columns): Promise<Columns> {
  if (Object.keys(columns).length === 0) return columns;
  const missing = new Set((await missingColumns(db, [columns])).map(({ table, column }) => `${table}.${column}`));
  const present = Object.entries(columns).map(([table, names]) => [
    table,
    names.filter((name) => !missing.has(`${table}.${name}`)),
  ]);
  return Object.fromEntries(present);
}

/** Those of the columns of several lists that do not exist in the store. */
export async function missingColumns(
  db: Db,
  lists: readonly Columns[],
): Promise<readonly { readonly table: string; readonly column: string }[]> {
  const all = lists.reduce<Columns>(addColumns, {});
  const wanted = Object.entries(all).flatMap(([table, names]) => names.map((column) => ({ table, column })));
  if (wanted.length === 0) return [];
  // A template: Kysely's builder has no words for catalogs.
  return rows(
    db,
    sql<{ table: string; column: string }>`
    select wanted.* from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as wanted("table" text, "column" text)
    where not exists (select from pg_attribute
      where attrelid = to_regclass(quote_ident(wanted."table")) and attname = wanted."column" and attnum > 0 and not attisdropped)`,
  );
}

/** Columns as text: `users(id,email)`. */
export function columnsText(columns: ColumnGrants): string[] {
  return Object.entries(columns as Columns).map(([table, names]) => `${table}(${names.join(",")})`);
}

/** The columns that are declared beyond those, or the tables, that were accepted, as text. */
export function moreColumns(declared: Grants, accepted: Grants): string[] {
  const tables: readonly string[] = [...(accepted.read ?? []), ...(accepted.write ?? [])];
  const known: Columns = accepted.columns ?? {};
  return Object.entries((declared.columns ?? {}) as Columns).flatMap(([table, names]) => {
    if (tables.includes(table)) return [];
    const more = names.filter((name) => !(known[table] ?? []).includes(name));
    return more.length === 0 ? [] : [`${table}(${more.join(",")})`];
  });
}
