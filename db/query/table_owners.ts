/**
 * Which plugin created which table: the tables before and after each migration step are compared, in its transaction. The
 * record is the table `plugin_tables`, which a migration of the runtime creates; tables of earlier steps are not in it.
 */
import { sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** Runs a migration step of a plugin and records the tables that it creates, and forgets those that it drops. */
export async function recordingTables(db: Db, plugin: string, run: () => Promise<void>): Promise<void> {
  const before = await tablesOf(db);
  await run();
  const after = await tablesOf(db);
  if (!after.has("plugin_tables")) return;
  const created = [...after].filter((name) => !before.has(name));
  const dropped = [...before].filter((name) => !after.has(name));
  if (dropped.length > 0) await sql`delete from plugin_tables where table_name = any(${dropped}::text[])`.execute(db);
  if (created.length > 0)
    await sql`insert into plugin_tables (table_name, plugin)
      select name, ${plugin} from unnest(${created}::text[]) as created(name)
      on conflict (table_name) do update set plugin = excluded.plugin`.execute(db);
}

/**
 * Tables outside a list that refer to tables of it by foreign keys, as "notes (of books)".
 * @example
 * const referring = await referringTables(db, ["books"]);
 */
export async function referringTables(db: Db, tables: readonly string[]): Promise<string[]> {
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const found = await rows(
    db,
    sql<{ name: string }>`select distinct conrelid::regclass || ' (of ' || confrelid::regclass || ')' as name
      from pg_constraint join pg_class referring on referring.oid = conrelid join pg_class referred on referred.oid = confrelid
      where contype = 'f' and referred.relname = any(${[...tables]}::text[])
        and referred.relnamespace = current_schema()::regnamespace and not referring.relname = any(${[...tables]}::text[])
      order by 1`,
  );
  return found.map(({ name }) => name);
}

async function tablesOf(db: Db): Promise<Set<string>> {
  const found = await rows(
    db,
    sql<{ name: string }>`select relname as name from pg_class
      where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace`,
  );
  return new Set(found.map(({ name }) => name));
}
