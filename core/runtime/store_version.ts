/**
 * The version of Lectern that ran over a store: the newest one is recorded at the end of each boot. Before the first migration a
 * version refuses a store that is too old for it, which would fail half way, and one that a newer version has migrated.
 */
import { type Kysely, sql } from "kysely";
import { type Db, type Migrating, migrationStatuses, rows } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
import type { InstalledPluginsTable } from "./versions.ts";
import { withCore } from "./with_core.ts";

/** A version of Lectern. */
export interface Release {
  readonly version: string;
  /** The oldest version whose stores it migrates. */
  readonly upgradesFrom: string;
  /**
   * The oldest version whose servers work over a store that this version has migrated, so that both run side by side while
   * servers are upgraded one after the other. No step of a migration removes what that version uses.
   */
  readonly runsBeside: string;
}

/** This version. */
export const RELEASE: Release = { version: packaged.version, upgradesFrom: "0.1.0", runsBeside: "0.2.0" };
/** The last version that did not record itself. */
const LAST_UNRECORDED = "0.2.0";
/** The name of the runtime among the recorded plugins. */
const CORE = "core";

type CoreStore = Kysely<{ installed_plugins: InstalledPluginsTable }>;

/**
 * Checks that this version can run over the store; changes nothing. Throws BootError where the store is older than
 * `upgradesFrom`, with the version to start in between, and where a newer version has run migrations that this one lacks, unless
 * that said that it runs beside this one.
 */
export async function checkStoreVersion(
  db: Db,
  plugins: readonly Migrating[],
  { version, upgradesFrom }: Pick<Release, "version" | "upgradesFrom"> = RELEASE,
): Promise<void> {
  const newest = await newestVersion(db);
  if (newest === undefined) return;
  const { version: stored, runsBeside } = newest;
  if (Bun.semver.order(stored, upgradesFrom) < 0)
    throw new BootError(
      `Cannot upgrade the store of Lectern ${stored} to ${version}, which upgrades from ${upgradesFrom} or later: ` +
        `start ${upgradesFrom} over it once, then ${version}. Nothing was changed`,
    );
  if (Bun.semver.order(stored, version) <= 0) return;
  if (runsBeside !== undefined && Bun.semver.order(version, runsBeside) >= 0) return;
  for (const [name, { unknown }] of await migrationStatuses(db, withCore(plugins)))
    if (unknown.length > 0)
      throw new BootError(
        `Cannot start Lectern ${version} over a store that ${stored} has migrated ("${name}": ${unknown.join(", ")}): ` +
          `start ${stored} or later, or restore a backup of before the upgrade. Nothing was changed`,
      );
}

/** The newest version that ran over the store; undefined for a new store. */
async function newestVersion(db: Db): Promise<Recorded | undefined> {
  // Templates, here and below: catalogs, and a column that older stores do not have.
  const found = await rows(
    db,
    sql<{ used: boolean; recorded: boolean }>`select to_regclass('lectern_ledger.core') is not null as used,
      to_regclass('installed_plugins') is not null as recorded`,
  );
  if (!found[0]?.used) return undefined;
  if (!found[0].recorded) return { version: LAST_UNRECORDED };
  return (await recorded(db)) ?? { version: LAST_UNRECORDED };
}

/** What a store says of the newest version that ran over it. */
type Recorded = Pick<Release, "version"> & Partial<Pick<Release, "runsBeside">>;

async function recorded(db: Db): Promise<Recorded | undefined> {
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

/** Records that a version ran over the store, unless it or a newer one has. */
export async function recordVersion(db: Db, { version, runsBeside }: Release = RELEASE): Promise<void> {
  const stored = await recorded(db);
  if (stored && isCurrent(stored, { version, runsBeside })) return;
  const times = { first_at: sql<string>`now()`, last_at: sql<string>`now()` };
  // A cast, since the table is core's own and not among those that plugins may name.
  await (db as unknown as CoreStore)
    .insertInto("installed_plugins")
    .values({
      name: CORE,
      version,
      runs_beside: runsBeside,
      jobs: [],
      kinds: sql`'[]'::jsonb`,
      permissions: [],
      ...times,
    })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet({ version, runs_beside: runsBeside, last_at: times.last_at }),
    )
    .execute();
}

/** Whether a store names this version already, or a newer one. */
function isCurrent(stored: Recorded, { version, runsBeside }: Pick<Release, "version" | "runsBeside">): boolean {
  const order = Bun.semver.order(stored.version, version);
  return order > 0 || (order === 0 && stored.runsBeside === runsBeside);
}
