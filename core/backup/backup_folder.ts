/**
 * Backups in BACKUP_DIR: their names, how many are kept, and the one before migrations. Names have the time, so that their order is
 * that of their age; other files of the folder are left alone.
 */
import { type Db, type Migrating, migrationStatuses, type Store } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import type { Log } from "../log.ts";
import { createBackup } from "./create_backup.ts";
import { type BackupFolder, type BackupPlace, backupFolder, type PlaceConfig } from "./places.ts";

const REGULAR = /^lectern-\d{8}T\d{6}Z\.tar\.zst$/;
const BEFORE_MIGRATIONS = /^lectern-before-.+-\d{8}T\d{6}Z\.tar\.zst$/;

/** Settings of the folder. */
export type BackupConfig = Pick<Config, "backupDir" | "backupKeep" | "backupBeforeMigrations"> & PlaceConfig;

/** The folder of BACKUP_DIR. Throws BootError for a bucket that is not configured. */
export function configuredFolder(config: BackupConfig): BackupFolder {
  return backupFolder(config.backupDir === "" ? `${config.dataDir}/backups` : config.backupDir, config);
}

/** Where the next backup goes. */
export function nextPlace(folder: BackupFolder, now = new Date()): BackupPlace {
  return folder.place(`lectern-${timeOf(now)}.tar.zst`);
}

/** Removes the oldest backups beyond the number kept; those before migrations are counted by themselves. */
export async function removeOldest(folder: BackupFolder, keep: number): Promise<string[]> {
  if (keep === 0) return [];
  const names = await folder.list();
  const old = [REGULAR, BEFORE_MIGRATIONS].flatMap((kind) => {
    const own = names.filter((name) => kind.test(name)).sort((a, b) => timeIn(a).localeCompare(timeIn(b)));
    return own.slice(0, -keep);
  });
  for (const name of old) await folder.remove(name);
  return old;
}

/**
 * Backs up the store, without files, if migrations are pending over tables that exist and the setting says so. Files need no
 * copy, as migrations do not change them. Throws BootError where that fails: no migration has run then.
 */
export async function backupBeforeMigrations(
  store: Store,
  plugins: readonly Migrating[],
  config: BackupConfig,
  log: Pick<Log, "info">,
): Promise<void> {
  const { backupBeforeMigrations: when } = config;
  if (when === "never" || (when === "embedded" && store.kind !== "embedded")) return;
  if (!(await hasPendingSteps(store.db, plugins))) return;
  try {
    const folder = configuredFolder(config);
    const place = folder.place(`lectern-before-${packaged.version}-${timeOf(new Date())}.tar.zst`);
    await createBackup({ store, files: undefined }, place);
    log.info("The store was backed up before migrations", { backup: place.name });
    await removeOldest(folder, config.backupKeep);
  } catch (cause) {
    throw new BootError(
      `Cannot back up the store before migrations, so none has run: ${(cause as Error).message}; set BACKUP_DIR, or BACKUP_BEFORE_MIGRATIONS=never`,
      { cause },
    );
  }
}

/** Whether a plugin that has run here before has new steps: those of a new plugin create tables. */
async function hasPendingSteps(db: Db, plugins: readonly Migrating[]): Promise<boolean> {
  const statuses = await migrationStatuses(db, plugins);
  return [...statuses.values()].some(({ hasLedger, pending }) => hasLedger && pending.length > 0);
}

function timeOf(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

function timeIn(name: string): string {
  return /\d{8}T\d{6}Z/.exec(name)?.[0] ?? "";
}
