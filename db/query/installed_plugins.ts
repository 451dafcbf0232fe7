/**
 * The records of plugins: `installed_plugins`, with a row for each that has booted and one for the runtime, and `plugin_tables`. Migrations
 * of the runtime create them; what they mean is core's (`core/runtime/versions.ts`, `store_version.ts`).
 */
import { type Generated, type Kysely, sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** A kind of content that a plugin contributes. */
export interface ContributedKind {
  readonly kind: string;
  readonly table: string;
  /** The kinds it may be in, with the column of the parent's id; absent in rows of an older version. */
  readonly parents?: readonly { readonly kind: string; readonly column: string }[] | undefined;
}

/** Plugins that have booted over this store. */
export interface InstalledPluginsTable {
  name: string;
  /** The newest version that booted; null where the plugin had none. */
  version: string | null;
  /** When it booted first, and when what is stored here changed last. */
  first_at: string;
  last_at: string;
  /** Names of its jobs. */
  jobs: string[];
  /** Its kinds of content, each with its table. */
  kinds: ContributedKind[];
  /** Names of the permissions that it adds. */
  permissions: string[];
  /** Of the row of the runtime: the oldest version whose servers run beside this one. */
  runs_beside: Generated<string | null>;
}

/** The table that a migration of a plugin created. */
export interface PluginTablesTable {
  table_name: string;
  plugin: string;
}

/** What is recorded of a plugin. */
export type PluginRecord = Omit<InstalledPluginsTable, "first_at" | "last_at" | "runs_beside">;

/** What a store says of the newest version that ran over it. */
export interface RecordedVersion {
  readonly version: string;
  readonly runsBeside?: string;
}

/** The name of the runtime among the records. */
const CORE = "core";

/** The records, which are not among the tables that plugins may name. */
function recordsOf(db: Db): Kysely<{ installed_plugins: InstalledPluginsTable; plugin_tables: PluginTablesTable }> {
  // A cast, since they are no tables of any plugin.
  return db as unknown as ReturnType<typeof recordsOf>;
}

/**
 * The records of all that has booted, the runtime among them.
 * @example
 * const names = (await pluginRecords(db)).map(({ name }) => name);
 */
export function pluginRecords(db: Db): Promise<PluginRecord[]> {
  return recordsOf(db)
    .selectFrom("installed_plugins")
    .select(["name", "version", "jobs", "kinds", "permissions"])
    .execute();
}

/**
 * Writes records, and when each of them was changed.
 * @example
 * await writePluginRecords(db, [{ name: "notes", version: "1.2.0", jobs: [], kinds: [], permissions: [] }]);
 */
export async function writePluginRecords(db: Db, changed: readonly PluginRecord[]): Promise<void> {
  const now = sql<string>`now()`;
  await recordsOf(db)
    .insertInto("installed_plugins")
    .values(changed.map((row) => ({ ...row, kinds: asJson(row.kinds), first_at: now, last_at: now })))
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((eb) => ({
        version: eb.ref("excluded.version"),
        jobs: eb.ref("excluded.jobs"),
        kinds: eb.ref("excluded.kinds"),
        permissions: eb.ref("excluded.permissions"),
        last_at: now,
      })),
    )
    .execute();
}

/**
 * Which plugin created which table.
 * @example
 * const own = (await pluginTables(db)).filter(({ plugin }) => plugin === "notes");
 */
export function pluginTables(db: Db): Promise<PluginTablesTable[]> {
  return recordsOf(db).selectFrom("plugin_tables").selectAll().execute();
}

/**
 * Whether the runtime has run over a store, and the newest version that recorded itself. Works before any migration.
 * @example
 * const { isUsed, recorded } = await storedVersion(db);
 */
export async function storedVersion(
  db: Db,
): Promise<{ readonly isUsed: boolean; readonly recorded: RecordedVersion | undefined }> {
  // Templates, here and below: catalogs, and a column that older stores do not have.
  const [found] = await rows(
    db,
    sql<{ used: boolean; recorded: boolean }>`select to_regclass('lectern_ledger.core') is not null as used,
      to_regclass('installed_plugins') is not null as recorded`,
  );
  if (!found?.used || !found.recorded) return { isUsed: found?.used ?? false, recorded: undefined };
  return { isUsed: true, recorded: await recordedVersion(db) };
}

/**
 * The newest version that recorded itself, where there are records.
 * @example
 * const version = (await recordedVersion(db))?.version;
 */
export async function recordedVersion(db: Db): Promise<RecordedVersion | undefined> {
  // Read before migrations: a store of an older version has no such column.
  const [row] = await rows(
    db,
    sql<{
      version: string | null;
      runsBeside: string | null;
    }>`select version, to_jsonb(own) ->> 'runs_beside' as "runsBeside"
      from installed_plugins own where name = ${CORE}`,
  );
  if (!row?.version) return undefined;
  return { version: row.version, ...(row.runsBeside !== null && { runsBeside: row.runsBeside }) };
}

/**
 * Records the version of the runtime.
 * @example
 * await recordStoreVersion(db, { version: "0.3.0", runsBeside: "0.2.0" });
 */
export async function recordStoreVersion(
  db: Db,
  { version, runsBeside }: { readonly version: string; readonly runsBeside: string },
): Promise<void> {
  const times = { first_at: sql<string>`now()`, last_at: sql<string>`now()` };
  const none = { jobs: [], kinds: asJson([]), permissions: [] };
  await recordsOf(db)
    .insertInto("installed_plugins")
    .values({ name: CORE, version, runs_beside: runsBeside, ...none, ...times })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet({ version, runs_beside: runsBeside, last_at: times.last_at }),
    )
    .execute();
}

/**
 * Deletes what is recorded of the tables and objects of a plugin; its own record stays (`dropPluginRecord`).
 * @example
 * await db.transaction().execute((tx) => dropObjectRecords(tx, "notes"));
 */
export async function dropObjectRecords(db: Db, name: string): Promise<void> {
  await sql`delete from plugin_tables where plugin = ${name}`.execute(db);
  await sql`delete from plugin_objects where plugin = ${name}`.execute(db);
}

/**
 * Deletes the record of a plugin.
 * @example
 * await dropPluginRecord(db, "notes");
 */
export async function dropPluginRecord(db: Db, name: string): Promise<void> {
  await sql`delete from installed_plugins where name = ${name}`.execute(db);
}

function asJson(value: unknown) {
  return sql<ContributedKind[]>`${JSON.stringify(value)}::text::jsonb`;
}
