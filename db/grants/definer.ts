import { type Kysely, sql } from "kysely";
import { rows } from "../query/query.ts";
import { ident } from "../query/quoting.ts";

/**
 * Makes trigger functions without arguments run with the rights of the account that migrates, with a fixed search_path: their
 * triggers also fire for writes of plugins whose role has no grant for what the functions write. For steps of migrations.
 * @example
 * await migrate(db, "notes", { "0002_definer": (tx) => runAsDefiner(tx, "count_notes") });
 */
// biome-ignore lint/suspicious/noExplicitAny: as in Migrations
export async function runAsDefiner(db: Kysely<any>, ...functions: readonly string[]): Promise<void> {
  const path = await definerPath(db);
  for (const name of functions)
    await sql.raw(`alter function ${ident(name)}() security definer set search_path = ${path}`).execute(db);
}

/**
 * The search_path of such functions: the runtime's schema between the system's and that of temporary tables.
 * @example
 * const path = await definerPath(db); // pg_catalog, public, pg_temp
 */
// biome-ignore lint/suspicious/noExplicitAny: as in Migrations
export async function definerPath(db: Kysely<any>): Promise<string> {
  const [found] = await rows(
    db as Kysely<never>,
    sql<{ path: string }>`select 'pg_catalog, ' || quote_ident(current_schema()) || ', pg_temp' as path`,
  );
  return found?.path ?? "pg_catalog, pg_temp";
}
