/** Errors about tables that name both sides: the plugin that is mistaken, and whose table it meets or means. */
import { codeOf, type Db, messageOf, StoreError, tableNames } from "../../db/mod.ts";
import { closestMatch } from "../std/closest_match.ts";
import type { AnyPlugin } from "./plugin.ts";

/** SQLSTATE of a `create table` whose table exists. */
const DUPLICATE_TABLE = "42P07";

/** The error of a migration that creates a table which exists already, with the other plugins that write it; any other as it is. */
export function foreignTable(error: unknown, { name }: AnyPlugin, plugins: readonly AnyPlugin[]): unknown {
  const cause = error instanceof StoreError ? error.cause : undefined;
  const table = codeOf(cause) === DUPLICATE_TABLE ? /"(.+)"/.exec(messageOf(cause))?.[1] : undefined;
  if (!(error instanceof StoreError) || table === undefined) return error;
  const writers = plugins.filter(
    (plugin) => plugin.name !== name && plugin.grants.write?.some((written) => written === table),
  );
  const names = writers.map((plugin) => `"${plugin.name}"`).join(", ");
  const written = names === "" ? "" : ` and is written by ${names}`;
  return new StoreError(`${error.message}. The table exists already${written}`, { cause });
}

/** The end of an error about a table that does not exist: the existing one that is most likely meant; "" for none. */
export async function closestTable(table: string, db: Db): Promise<string> {
  const near = closestMatch(table, await tableNames(db));
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
