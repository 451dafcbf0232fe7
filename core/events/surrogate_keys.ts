/**
 * Surrogate keys: what cached answers depend on, as texts: "books" for any row of a table; "pages.book_id=3" and "pages.*" for rows with a value
 * in a column. A change of few rows concerns the first two of these, one of many rows the first and the last.
 */
import type { TableChange, WatchedTable } from "../../db/mod.ts";
import type { NoteRows, TableDependency } from "./cached_answers.ts";

/** The surrogate keys of a read of the rows with some values in a column. */
function surrogateKeysOfRows(table: string, column: string, values: readonly number[]): string[] {
  return [`${table}.*`, ...values.map((value) => `${table}.${column}=${value}`)];
}

/** The surrogate keys of a load about an item: those of what is declared, to which `note` adds the rows that it notes. */
export function notedKeys(
  dependencies: readonly TableDependency[],
  id: number | undefined,
): { readonly surrogateKeys: Set<string>; readonly note: NoteRows } {
  const surrogateKeys = new Set<string>();
  const note: NoteRows = (table, column, values) => {
    for (const surrogateKey of surrogateKeysOfRows(table, column, values)) surrogateKeys.add(surrogateKey);
  };
  for (const { table, column } of dependencies) {
    if (column === undefined) surrogateKeys.add(table);
    else if (id !== undefined) note(table, column, [id]);
  }
  return { surrogateKeys, note };
}

/** The surrogate keys that a change concerns; one that does not report a watched column concerns all rows. */
export function surrogateKeysOfChange(
  { table, values }: TableChange,
  watched: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const columns = watched.get(table) ?? [];
  if (columns.some((column) => !values?.has(column))) return [table, `${table}.*`];
  return [
    table,
    ...columns.flatMap((column) => (values?.get(column) ?? []).map((value) => `${table}.${column}=${value}`)),
  ];
}

/** The tables of dependencies, with all columns that any of them names. */
export function tablesOf(dependencies: readonly TableDependency[]): WatchedTable[] {
  const names = [...new Set(dependencies.map(({ table }) => table))].sort();
  return names.map((name) => {
    const own = dependencies.filter(({ table }) => table === name);
    const columns = [...new Set(own.flatMap(({ column }) => column ?? []))].sort();
    const isWhole = own.some(({ only }) => only === undefined);
    return {
      table: name,
      columns,
      only: isWhole ? undefined : [...new Set(own.flatMap(({ only }) => only ?? []))].sort(),
    };
  });
}
