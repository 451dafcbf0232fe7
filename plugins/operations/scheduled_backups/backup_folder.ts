/**
 * Backups in BACKUP_DIR: their names, how many are kept, and the one before migrations. Names have the time, so that their order is
 * that of their age; other files of the folder are left alone.
 */
import type { Instance } from "lectern/cli";
import { BootError } from "lectern/core";
import type { Store } from "lectern/db";
import { messageOf } from "lectern/db";
import packaged from "../../../package.json" with { type: "json" };
import { createBackup } from "./create_backup.ts";
import { type BackupFolder, type BackupPlace, backupFolder } from "./places.ts";
import { settingsOf } from "./settings.ts";

const REGULAR = /^lectern-\d{8}T\d{6}Z\.tar\.zst$/;
const BEFORE_MIGRATIONS = /^lectern-before-.+-\d{8}T\d{6}Z\.tar\.zst$/;

/** The folder of BACKUP_DIR. Throws BootError for a bucket that is not configured. */
export function configuredFolder(instance: Instance): BackupFolder {
  const { backupDir } = settingsOf(instance);
  return backupFolder(backupDir === "" ? `${instance.dataDir}/backups` : backupDir, instance);
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
 * Backs up the store, without files, before migrations over tables that exist, if the setting says so. Files need no copy, as
 * migrations do not change them. Throws BootError where that fails: no migration has run then.
 */
export async function backupBeforeMigrations(store: Store, instance: Instance): Promise<void> {
  const { backupBeforeMigrations: when, backupKeep } = settingsOf(instance);
  if (when === "never" || (when === "embedded" && store.kind !== "embedded")) return;
  try {
    const folder = configuredFolder(instance);
    const place = folder.place(`lectern-before-${packaged.version}-${timeOf(new Date())}.tar.zst`);
    await createBackup({ store, files: undefined }, place);
    instance.log.info("The store was backed up before migrations", { backup: place.name });
    await removeOldest(folder, backupKeep);
  } catch (cause) {
    throw new BootError(
      `Cannot back up the store before migrations, so none has run: ${messageOf(cause)}; set BACKUP_DIR, or BACKUP_BEFORE_MIGRATIONS=never`,
      { cause },
    );
  }
}

function timeOf(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

function timeIn(name: string): string {
  return /\d{8}T\d{6}Z/.exec(name)?.[0] ?? "";
}
