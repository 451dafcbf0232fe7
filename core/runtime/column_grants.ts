/** Grants of single columns: `grants.columns` names, by table, columns that a plugin may read of tables that it may not. */
import type { ColumnNames } from "../../db/mod.ts";
import type { VisibilityReads } from "../resources/visibility.ts";
import type { Kind } from "./grant_kinds.ts";
import type { Grants } from "./plugin.ts";

/** Columns that a plugin may read, by table. */
export type ColumnGrants = VisibilityReads;

/** Whether what the operator denied includes the columns: who may read no tables may read no columns of tables either. */
export function deniesColumns(denied: readonly Kind[]): boolean {
  return denied.includes("columns") || denied.includes("read");
}

/** Columns as text: `users(id,email)`. */
export function columnsText(columns: ColumnGrants): string[] {
  return Object.entries(columns as ColumnNames).map(([table, names]) => `${table}(${names.join(",")})`);
}

/** The columns that are declared beyond those, or the tables, that were accepted, as text. */
export function moreColumns(declared: Grants, accepted: Grants): string[] {
  const tables: readonly string[] = [...(accepted.read ?? []), ...(accepted.write ?? [])];
  const known: ColumnNames = accepted.columns ?? {};
  return Object.entries((declared.columns ?? {}) as ColumnNames).flatMap(([table, names]) => {
    if (tables.includes(table)) return [];
    const more = names.filter((name) => !(known[table] ?? []).includes(name));
    return more.length === 0 ? [] : [`${table}(${more.join(",")})`];
  });
}
