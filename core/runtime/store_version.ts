/**
 * The version of Lectern that ran over a store: the newest one is recorded at the end of each boot. Before the first migration a
 * version refuses a store that is too old for it, which would fail half way, and one that a newer version has migrated.
 */
import { type Kysely, sql } from "kysely";
import { type Db, migrationStatus, rows } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
import { coreMigrations } from "./migrations.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { InstalledPluginsTable } from "./versions.ts";

/** A version of Lectern. */
export interface Release {
  readonly version: string;
  /** The oldest version whose stores it migrates. */
  readonly upgradesFrom: string;
}

/** This version. */
export const RELEASE: Release = { version: packaged.version, upgradesFrom: "0.1.0" };
/** The last version that did not record itself. */
const LAST_UNRECORDED = "0.2.0";
/** The name of the runtime among the recorded plugins, and of its ledger. */
const CORE = "core";

type CoreStore = Kysely<{ installed_plugins: InstalledPluginsTable }>;

/**
 * Checks that this version can run over the store; changes nothing. Throws BootError where the store is older than
 * `upgradesFrom`, with the version to start in between, and where a newer version has run migrations that this one lacks.
 */
export async function checkStoreVersion(
  db: Db,
  plugins: readonly Pick<AnyPlugin, "name" | "migrations">[],
  { version, upgradesFrom }: Release = RELEASE,
): Promise<void> {
  const stored = await newestVersion(db);
  if (stored === undefined) return;
  if (Bun.semver.order(stored, upgradesFrom) < 0)
    throw new BootError(
      `Cannot upgrade the store of Lectern ${stored} to ${version}, which upgrades from ${upgradesFrom} or later: ` +
        `start ${upgradesFrom} over it once, then ${version}. Nothing was changed`,
    );
  if (Bun.semver.order(stored, version) <= 0) return;
  for (const { name, migrations } of [{ name: CORE, migrations: coreMigrations }, ...plugins]) {
    const { unknown } = await migrationStatus(db, name, migrations);
    if (unknown.length > 0)
      throw new BootError(
        `Cannot start Lectern ${version} over a store that ${stored} has migrated ("${name}": ${unknown.join(", ")}): ` +
          `start ${stored} or later, or restore a backup of before the upgrade. Nothing was changed`,
      );
  }
}

/** The newest version that ran over the store; undefined for a new store. */
async function newestVersion(db: Db): Promise<string | undefined> {
  const found = await rows(
    db,
    sql<{ used: boolean; recorded: boolean }>`select to_regclass('lectern_ledger.core') is not null as used,
      to_regclass('installed_plugins') is not null as recorded`,
  );
  if (!found[0]?.used) return undefined;
  if (!found[0].recorded) return LAST_UNRECORDED;
  return (await recordedVersion(db)) ?? LAST_UNRECORDED;
}

async function recordedVersion(db: Db): Promise<string | undefined> {
  const store = db as unknown as CoreStore;
  const row = await store.selectFrom("installed_plugins").select("version").where("name", "=", CORE).executeTakeFirst();
  return row?.version ?? undefined;
}

/** Records that a version ran over the store, unless it or a newer one has. */
export async function recordVersion(db: Db, { version }: Release = RELEASE): Promise<void> {
  const stored = await recordedVersion(db);
  if (stored !== undefined && Bun.semver.order(stored, version) >= 0) return;
  const times = { first_at: sql<string>`now()`, last_at: sql<string>`now()` };
  await (db as unknown as CoreStore)
    .insertInto("installed_plugins")
    .values({ name: CORE, version, jobs: [], kinds: sql`'[]'::jsonb`, permissions: [], ...times })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ version, last_at: times.last_at }))
    .execute();
}
