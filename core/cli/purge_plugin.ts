/**
 * What a removed plugin leaves behind, and deleting it: its tables and what else its migrations made, ledger, jobs and schedules, the rows of others that belong to
 * its items (by the slot `dependents`) and what others hold about it (by the event `plugin_purge`). All of the store goes in
 * one transaction; the record of the plugin goes last, so that a purge that was interrupted can be run again.
 */
import { sql } from "kysely";
import {
  type ContributedKind,
  type Db,
  dropLedger,
  dropObjectRecords,
  dropOwned,
  dropPluginRecord,
  type FoundObject,
  ledgers,
  madeObjects,
  pluginRecords,
  pluginTables,
  referringTables,
  rows,
  tableNames,
} from "../../db/mod.ts";
import type { FileStore } from "../files/file_store.ts";
import type { Dependents } from "../resources/content.ts";
import type { Runtime } from "../runtime/boot.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { SYSTEM } from "../viewer.ts";

/** What is stored of a plugin. */
export interface Leftovers {
  readonly name: string;
  readonly version: string | undefined;
  readonly hasLedger: boolean;
  /** Tables that its migrations created, by the record. */
  readonly tables: readonly string[];
  /** Tables that are probably its own: steps of before the record created them, and no other plugin uses them. */
  readonly likelyTables: readonly string[];
  /** What else its migrations made: functions, triggers, columns of tables of others and the like. */
  readonly objects: readonly FoundObject[];
  readonly jobs: readonly string[];
  readonly kinds: readonly ContributedKind[];
  readonly permissions: readonly string[];
}

/** Everything that plugins have left in the store, by name. `plugins` are those whose grants are known. */
export async function leftoversOf(db: Db, plugins: readonly AnyPlugin[]): Promise<Leftovers[]> {
  const stored = (await pluginRecords(db)).filter(({ name }) => name !== "core");
  const owned = await pluginTables(db);
  const withLedger = (await ledgers(db)).filter((name) => name !== "core");
  const present = new Set(await tableNames(db));
  const made = await madeObjects(db);
  const recorded = new Set(owned.map(({ table_name }) => table_name));
  return [...new Set([...withLedger, ...stored.map(({ name }) => name)])].sort().map((name) => {
    const row = stored.find((each) => each.name === name);
    const likelyTables = writtenAlone(name, plugins).filter((table) => present.has(table) && !recorded.has(table));
    return {
      name,
      version: row?.version ?? undefined,
      hasLedger: withLedger.includes(name),
      tables: owned.filter(({ plugin }) => plugin === name).map(({ table_name }) => table_name),
      likelyTables,
      objects: made.filter(({ plugin }) => plugin === name),
      jobs: row?.jobs ?? [],
      kinds: row?.kinds ?? [],
      permissions: row?.permissions ?? [],
    };
  });
}

/** Tables that a plugin may write and no other plugin may read or write. */
function writtenAlone(name: string, plugins: readonly AnyPlugin[]): string[] {
  const tablesOf = ({ grants: { read = [], write = [] } }: AnyPlugin): string[] => [...read, ...write];
  const others = new Set(plugins.filter((plugin) => plugin.name !== name).flatMap(tablesOf));
  const own = plugins.find((plugin) => plugin.name === name)?.grants.write ?? [];
  return own.filter((table) => !others.has(table));
}

/** Reasons why a plugin's tables cannot be dropped: grants of other plugins on them, and foreign keys of other tables. */
export async function reasonsToKeep(
  db: Db,
  tables: readonly string[],
  others: readonly AnyPlugin[],
): Promise<string[]> {
  const users = others.flatMap(({ name, optionalTables, grants: { read = [], write = [] } }) =>
    [...read, ...write]
      .filter((table) => tables.includes(table) && !optionalTables.includes(table))
      .map((table) => `the plugin "${name}" uses the table "${table}"`),
  );
  const referring = (await referringTables(db, tables)).map(
    (table) => `foreign keys of the table ${table} refer to it`,
  );
  return [...users, ...referring];
}

/** Deletes what a plugin left, over a runtime that was booted without it. */
export async function purgePlugin(
  runtime: Pick<Runtime, "bus" | "contexts" | "booted" | "files">,
  db: Db,
  { name, tables, likelyTables, objects, jobs, kinds, permissions }: Leftovers,
): Promise<void> {
  const dependents = (runtime.contexts.values().next().value?.slot("dependents") ?? []) as readonly Dependents[];
  const kept = new Set<string>(runtime.booted.flatMap(({ plugin }) => plugin.permissions));
  const draft = {
    name,
    kinds: kinds.map(({ kind }) => kind),
    permissions: permissions.filter((permission) => !kept.has(permission)),
  };
  await runtime.bus.perform("plugin_purge", SYSTEM, draft, async (purged, tx) => {
    const present = new Set(await tableNames(tx.db));
    for (const { kind, table } of kinds.filter((each) => present.has(each.table))) {
      // Templates, here and below: the tables are those of contributed kinds, and catalogs.
      const items = await rows<{ id: number }>(tx.db, sql`select id from ${sql.table(table)} order by id for update`);
      const ids = items.map(({ id }) => id);
      if (ids.length === 0) continue;
      for (const each of dependents)
        if (each.kind === undefined || each.kind === kind) await each.destroy(ids, tx, kind);
    }
    if (objects.length > 0) await sql.raw(objects.map(({ drop }) => drop).join(";\n")).execute(tx.db);
    const gone = [...tables, ...likelyTables].filter((table) => present.has(table));
    if (gone.length > 0) await sql`drop table ${sql.join(gone.map((table) => sql.table(table)))}`.execute(tx.db);
    await dropOwned(tx.db, name);
    await deleteRows(tx.db, name, jobs);
    await dropLedger(tx.db, name);
    return purged;
  });
  await removeFiles(runtime.files, name);
  await dropPluginRecord(db, name);
}

/** Deletes the rows of the runtime's own tables about a plugin. Names of schedules begin with the plugin's. */
async function deleteRows(db: Db, name: string, jobs: readonly string[]): Promise<void> {
  await sql`delete from jobs where name = any(${[...jobs]}::text[])`.execute(db);
  await sql`delete from schedules where starts_with(name, ${`${name}:`})`.execute(db);
  await dropObjectRecords(db, name);
}

async function removeFiles(files: FileStore, name: string): Promise<void> {
  for await (const { key } of files.list(`${name}/`)) await files.remove(key);
}
