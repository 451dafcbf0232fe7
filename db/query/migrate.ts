/**
 * Forward migrations, with a ledger for each plugin in a schema of its own: removing a plugin leaves its ledger and affects no
 * other, and a recorded step that is missing in the code is ignored. Each step runs in one transaction with its ledger row,
 * under one advisory lock of the store: a failing step leaves nothing, and processes that start at once take turns.
 * Statements that PostgreSQL refuses within a transaction (create index concurrently) cannot be migrations. There is no way
 * back: a mistake is corrected by the next step.
 */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { StoreError } from "./errors.ts";
import { rows } from "./query.ts";
import { recordingTables } from "./table_owners.ts";
import type { Db } from "./tables.ts";
import { codeOf } from "./unknown_values.ts";

/**
 * Steps by name, "0001_init" onward, run in the order of their names. `any`, since a step has to compile after its tables
 * have changed.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Migrations = Record<string, ((db: Kysely<any>) => Promise<void>) & { readonly removes?: string }>;

/**
 * Declares that a step removes, renames or retypes what older versions use: it is the second phase of a change whose first
 * phase, an earlier release, added what replaces it. `version` is the oldest one that no longer uses what is removed; servers
 * before it cannot run beside.
 * @example
 * const noteMigrations = {
 *   "0003_drop_color": removes("0.4.0", async (db) => {
 *     await sql`alter table notes drop column color`.execute(db);
 *   }),
 * };
 */
export function removes(version: string, step: Migrations[string]): Migrations[string] {
  return Object.assign(step, { removes: version });
}

/** The key of the advisory lock; it must never change, since processes of different versions share it. */
export const MIGRATION_LOCK = 7_206_415;
const MAX_NAME_LENGTH = 63;

/** Runs a step, by name, within its transaction, such as with a time limit or other rights: by the Kysely that it passes on. */
export type StepRunner = (tx: Db, run: (db: Db) => Promise<void>, step: string) => Promise<void>;

/** Runs a step with the rights of the account. */
const asAccount: StepRunner = (tx, run) => run(tx);

/**
 * Runs the pending steps of a plugin, each by `runStep`. Returns their names. Throws StoreError naming plugin and step.
 * @example
 * const applied = await migrate(db, "notes", {
 *   "0001_init": async (tx) => void (await sql`create table notes (id integer primary key)`.execute(tx)),
 * });
 */
export async function migrate(
  db: Db,
  plugin: string,
  migrations: Migrations,
  runStep: StepRunner = asAccount,
): Promise<string[]> {
  const applied: string[] = [];
  if ((await pending(db, plugin, migrations)).length === 0) return applied;
  for (let isLast = false; !isLast; ) {
    const ran = await step(db, plugin, migrations, runStep);
    // Another process may have run it meanwhile.
    if (!ran) break;
    applied.push(ran.name);
    isLast = ran.isLast;
  }
  return applied;
}

/**
 * Names of the pending steps, in order; changes nothing.
 * @example
 * const steps = await pending(db, "notes", noteMigrations);
 */
export async function pending(db: Db, plugin: string, migrations: Migrations): Promise<string[]> {
  return (await migrationStatus(db, plugin, migrations)).pending;
}

/** A plugin, or the runtime as "core", with its steps. */
export interface Migrating {
  readonly name: string;
  readonly migrations: Migrations;
}

/** A plugin's steps compared with its ledger. */
export interface MigrationStatus {
  /** Steps that have not run, in order. */
  readonly pending: string[];
  /** Steps in the ledger that the plugin lacks: of a newer version, or removed. */
  readonly unknown: string[];
  /** Whether the plugin has a ledger: it has run over this store before. */
  readonly hasLedger: boolean;
}

/**
 * The pending and the unknown steps of a plugin; changes nothing.
 * @example
 * const { pending, unknown } = await migrationStatus(db, "notes", noteMigrations);
 */
export async function migrationStatus(db: Db, plugin: string, migrations: Migrations): Promise<MigrationStatus> {
  const statuses = await migrationStatuses(db, [{ name: plugin, migrations }]);
  return statuses.get(plugin) as MigrationStatus;
}

/**
 * The same of many plugins, by name: two statements read all ledgers. Throws StoreError for an invalid name of a plugin or step.
 * @example
 * const statuses = await migrationStatuses(db, [{ name: "notes", migrations: noteMigrations }]);
 * const isCurrent = statuses.get("notes")?.pending.length === 0;
 */
export async function migrationStatuses(
  db: Db,
  plugins: readonly Migrating[],
): Promise<ReadonlyMap<string, MigrationStatus>> {
  const steps = plugins.map(({ name, migrations }) => ({ name: checked(name), names: sorted(name, migrations) }));
  const done = await readLedgers(
    db,
    steps.map(({ name }) => name),
  );
  return new Map(steps.map(({ name, names }) => [name, compared(names, done.get(name))]));
}

function compared(names: string[], done: ReadonlySet<string> | undefined): MigrationStatus {
  if (!done) return { pending: names, unknown: [], hasLedger: false };
  const known = new Set(names);
  return {
    pending: names.filter((name) => !done.has(name)),
    unknown: [...done].filter((name) => !known.has(name)).sort(),
    hasLedger: true,
  };
}

/** The steps in the ledgers of plugins, by plugin; those without a ledger are left out. */
async function readLedgers(db: Db, plugins: string[]): Promise<Map<string, Set<string>>> {
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const found = await rows(
    db,
    sql<{ plugin: string }>`select plugin from unnest(${plugins}::text[]) as wanted(plugin)
      where to_regclass('lectern_ledger.' || quote_ident(plugin)) is not null`,
  );
  const done = new Map(found.map(({ plugin }) => [plugin, new Set<string>()]));
  const all = stepsOf([...done.keys()]);
  if (all) for (const { plugin, name } of await rows(db, all)) done.get(plugin)?.add(name);
  return done;
}

/** The template that reads ledgers, which have to exist; undefined for none. */
function stepsOf(plugins: readonly string[]): RawBuilder<{ plugin: string; name: string }> | undefined {
  const [first, ...others] = plugins.map(
    (plugin) => sql<{ plugin: string; name: string }>`select ${plugin}::text as plugin, name from ${ledger(plugin)}`,
  );
  return first && others.reduce((union, one) => sql`${union} union all ${one}`, first);
}

/**
 * Whether the ledgers of a store hold every step of these plugins, by one statement that ends after two seconds. Throws where
 * the store does not answer.
 * @example
 * const store = await openStore({ dataDir: "./data" });
 * const isReady = await isMigrated(store, [{ name: "notes", migrations: noteMigrations }]);
 */
export async function isMigrated(
  store: { queryWithDeadline<Row>(query: RawBuilder<Row>): Promise<Row[]> },
  plugins: readonly Migrating[],
): Promise<boolean> {
  const stepped = plugins.filter(({ migrations }) => Object.keys(migrations).length > 0);
  const all = stepsOf(stepped.map(({ name }) => name));
  if (!all) return true;
  const done = await store.queryWithDeadline(all).catch((error: unknown) => {
    if (isMissingTable(error)) return [];
    throw error;
  });
  const known = new Set(done.map(({ plugin, name }) => `${plugin} ${name}`));
  return stepped.every(({ name, migrations }) => Object.keys(migrations).every((step) => known.has(`${name} ${step}`)));
}

/**
 * Names of the plugins that have a ledger, in order; "core" is that of the runtime.
 * @example
 * const names = await ledgers(db);
 */
export async function ledgers(db: Db): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'lectern_ledger' order by 1`,
  );
  return found.map(({ name }) => name);
}

/**
 * Drops the ledger of a plugin, if there is one: its steps would run again.
 * @example
 * await dropLedger(db, "notes");
 */
export async function dropLedger(db: Db, plugin: string): Promise<void> {
  await sql`drop table if exists ${ledger(plugin)}`.execute(db);
}

/** Runs the first pending step; undefined where none is left. */
async function step(
  db: Db,
  plugin: string,
  migrations: Migrations,
  runStep: StepRunner,
): Promise<{ readonly name: string; readonly isLast: boolean } | undefined> {
  let name: string | undefined;
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::int8)`.execute(tx);
      const status = await migrationStatus(tx, plugin, migrations);
      [name] = status.pending;
      if (name === undefined) return undefined;
      if (!status.hasLedger) await createLedger(tx, plugin);
      const run = async (own: Db) => migrations[name as string]?.(own);
      await recordingTables(tx, plugin, () => runStep(tx, run, name as string));
      await sql`insert into ${ledger(plugin)} (name) values (${name})`.execute(tx);
      return { name, isLast: status.pending.length === 1 };
    });
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError(
      `Cannot migrate plugin "${plugin}" at step "${name ?? "?"}": ${found}; nothing of this step was kept`,
      { cause },
    );
  }
}

async function createLedger(tx: Db, plugin: string): Promise<void> {
  await sql`create schema if not exists lectern_ledger`.execute(tx);
  await sql`create table ${ledger(plugin)}
    (name text primary key, applied_at timestamptz not null default now())`.execute(tx);
}

function sorted(plugin: string, migrations: Migrations): string[] {
  const names = Object.keys(migrations).sort();
  const odd = names.find((name) => !/^\d{4}_[a-z0-9_]+$/.test(name));
  if (odd === undefined) return names;
  throw new StoreError(
    `Cannot order the migrations of plugin "${plugin}": found step "${odd}", wanted a name such as "0001_init"`,
  );
}

/** Whether an error is that of a table or schema that does not exist. */
function isMissingTable(error: unknown): boolean {
  return ["42P01", "3F000"].includes(codeOf(error));
}

function ledger(plugin: string) {
  return sql.table(`lectern_ledger.${checked(plugin)}`);
}

/** PostgreSQL would truncate a longer name, and two plugins would share a ledger. */
function checked(plugin: string): string {
  if (/^[A-Za-z0-9_@/:-]+$/.test(plugin) && plugin.length <= MAX_NAME_LENGTH) return plugin;
  throw new StoreError(
    `Cannot create a ledger for plugin "${plugin}": wanted 1 to 63 letters, digits, "_", "-", "@", "/" or ":"`,
  );
}
