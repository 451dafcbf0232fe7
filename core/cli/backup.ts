/**
 * `backup FILE` writes the store and the files into one archive, `backup` into BACKUP_DIR, where it removes the oldest; `backup
 * --verify FILE` checks an archive, `restore FILE` brings one back.
 * None of them boots the runtime, so that no migration runs: a backup is of the tables as they are.
 */
import { parseArgs } from "node:util";
import { hasStore, openStore, StoreError, withThrowawayStore } from "../../db/mod.ts";
import { ArchiveError } from "../backup/archive_reader.ts";
import { configuredFolder, nextPlace, removeOldest } from "../backup/backup_folder.ts";
import { createBackup } from "../backup/create_backup.ts";
import { fitOf, type Manifest, type Summary } from "../backup/manifest.ts";
import { type BackupPlace, backupPlace } from "../backup/places.ts";
import { restoreBackup } from "../backup/restore_backup.ts";
import { verifyBackup } from "../backup/verify_backup.ts";
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import { DISK, S3 } from "../files/contributed_store.ts";
import type { FileStore } from "../files/file_store.ts";
import { type MarkedStores, markerState } from "../files/instance_marker.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { withCore } from "../runtime/with_core.ts";
import { failureIn } from "./failure_text.ts";
import { fileStoreName, fileStoreOf, openRuntime, readConfig, refuseOtherNames, storeOptions } from "./open.ts";

/** The forms of `backup`. */
export const BACKUP_USAGE = "[FILE] | --verify FILE";
/** The form of `restore`. */
export const RESTORE_USAGE = "FILE [--replace]";

/** `backup`. Returns the exit code. */
export async function backupCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const parsed = argumentsOf(args, "verify");
  if (!parsed || (parsed.flag && parsed.file === undefined)) {
    io.err("Usage: backup [FILE] | backup --verify FILE");
    return 2;
  }
  const config = readConfig(io);
  if (parsed.file !== undefined) {
    const place = backupPlace(parsed.file, config);
    return parsed.flag ? verify(place, plugins, io) : write(place, plugins, config, io);
  }
  const folder = configuredFolder(config);
  const code = await write(nextPlace(folder), plugins, config, io);
  if (code === 0)
    for (const name of await removeOldest(folder, config.backupKeep)) io.out(`Removed the older backup ${name}`);
  return code;
}

/** `restore`. Returns the exit code. */
export async function restoreCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const parsed = argumentsOf(args, "replace");
  if (parsed?.file === undefined) {
    io.err(`Usage: restore ${RESTORE_USAGE}`);
    return 2;
  }
  const config = readConfig(io);
  await refuseOtherNames(config, io);
  const place = backupPlace(parsed.file, config);
  return explained(io, place, () =>
    withFiles(plugins, config, io, async (files) => {
      const store = await openStore({ ...storeOptions(config), poolSize: 2 });
      try {
        const target = { store, files, installed: withCore(plugins) };
        const restored = await restoreBackup(place, target, { replace: parsed.flag, onNote: io.err });
        io.out(`Restored ${sizesOf(restored.summary)} of ${dateOf(restored.manifest)}`);
        if (!restored.manifest.files)
          io.out("It has no files: it was made before migrations, which do not change them");
        reportFit(restored.manifest, plugins, io);
        return 0;
      } finally {
        await store.close();
      }
    }),
  );
}

async function write(
  place: BackupPlace,
  plugins: readonly AnyPlugin[],
  config: Config,
  io: CommandIo,
): Promise<number> {
  if (!(await hasStore(storeOptions(config)))) {
    io.err("There is no store yet, so there is nothing to back up");
    return 1;
  }
  return explained(io, place, () =>
    withFiles(plugins, config, io, async (files) => {
      const store = await openStore({ ...storeOptions(config), poolSize: 2 });
      try {
        await refuseOtherFiles({ db: store.db, files, place: fileStoreName(config) });
        const { tables, rows, files: stored, lost } = await createBackup({ store, files }, place);
        for (const key of lost)
          io.err(`The file "${key}" was removed by something else than Lectern; it is not in the backup`);
        io.out(
          `Backed up ${rows} rows of ${tables} tables and ${stored} files to ${place.name} (${await place.size()} bytes)`,
        );
        return 0;
      } finally {
        await store.close();
      }
    }),
  );
}

/** Files of another instance, or of an empty mount, would make a backup that lacks those of its rows. Throws BootError. */
async function refuseOtherFiles(stores: MarkedStores): Promise<void> {
  const state = await markerState(stores);
  if (state.kind === "wrong") throw new BootError(`Cannot back up: ${state.problem}`);
}

function verify(place: BackupPlace, plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  return explained(io, place, async () => {
    const { manifest, summary } = await verifyBackup(place, io.err);
    io.out(`The backup is complete: ${sizesOf(summary)}, of ${dateOf(manifest)}`);
    io.out(`Written by Lectern ${manifest.lectern} over PostgreSQL ${manifest.postgres}`);
    reportFit(manifest, plugins, io);
    return 0;
  });
}

/** Names the backup in errors: of a bad archive, and of a disk, an object store or a database that failed meanwhile. */
async function explained(io: CommandIo, place: BackupPlace, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const isWorded = error instanceof StoreError || (error instanceof BootError && !(error instanceof ArchiveError));
    const text =
      error instanceof ArchiveError ? error.message : failureIn(error, { usesBucket: place.name.startsWith("s3://") });
    if (isWorded || text === undefined) throw error;
    io.err(`Cannot use the backup "${place.name}": ${text}`);
    return 1;
  }
}

function reportFit(manifest: Manifest, plugins: readonly AnyPlugin[], io: CommandIo): void {
  const { problem, absent, migrates } = fitOf(manifest, withCore(plugins));
  if (problem !== undefined) io.out(`It cannot be restored here: ${problem}`);
  for (const name of absent)
    io.out(`The plugin "${name}" is not installed; its tables are restored and stay until it is`);
  if (migrates) io.out("It is of an older version; the next start brings its tables up to date");
}

function sizesOf({ tables, files }: Summary): string {
  const all = Object.values(tables);
  const rows = all.reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows of ${all.length} tables and ${files.count} files (${files.bytes} bytes)`;
}

function dateOf({ createdAt }: Manifest): string {
  return `${createdAt.slice(0, 16).replace("T", " ")} UTC`;
}

function argumentsOf(args: readonly string[], flag: string): { file: string | undefined; flag: boolean } | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { [flag]: { type: "boolean" } },
    });
    const [file, ...more] = positionals;
    return more.length > 0 ? undefined : { file, flag: values[flag] === true };
  } catch {
    return undefined;
  }
}

/** The file store in use. That of a plugin is known once plugins are set up, which happens over a temporary store. */
export async function withFiles(
  plugins: readonly AnyPlugin[],
  config: Config,
  io: CommandIo,
  run: (files: FileStore) => Promise<number>,
): Promise<number> {
  if (config.filesStore === "" || config.filesStore === DISK || config.filesStore === S3)
    return run(fileStoreOf(config));
  return withThrowawayStore(async ({ dataDir }) => {
    const temporary = { ...config, databaseUrl: "", dataDir };
    const quiet = { ...io, env: { LOG_LEVEL: "warn", ...io.env } };
    const { runtime, files } = await openRuntime(plugins, quiet, temporary, "ignore");
    try {
      return await run(files);
    } finally {
      await runtime.stop();
    }
  });
}
