/**
 * The version of Lectern that ran over a store: the newest one is recorded at the end of each boot. Before the first migration a
 * version refuses a store that is too old for it, which would fail half way, and one that a newer version has migrated.
 */
import {
  type Db,
  type Migrating,
  migrationStatuses,
  type RecordedVersion,
  recordedVersion,
  recordStoreVersion,
  storedVersion,
} from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { BootError } from "../errors.ts";
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
async function newestVersion(db: Db): Promise<RecordedVersion | undefined> {
  const { isUsed, recorded } = await storedVersion(db);
  return isUsed ? (recorded ?? { version: LAST_UNRECORDED }) : undefined;
}

/** Records that a version ran over the store, unless it or a newer one has. */
export async function recordVersion(db: Db, { version, runsBeside }: Release = RELEASE): Promise<void> {
  const stored = await recordedVersion(db);
  if (!stored || !isCurrent(stored, { version, runsBeside })) await recordStoreVersion(db, { version, runsBeside });
}

/** Whether a store names this version already, or a newer one. */
function isCurrent(stored: RecordedVersion, { version, runsBeside }: Pick<Release, "version" | "runsBeside">): boolean {
  const order = Bun.semver.order(stored.version, version);
  return order > 0 || (order === 0 && stored.runsBeside === runsBeside);
}
