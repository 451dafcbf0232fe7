/**
 * `backup FILE` writes the store and the files into one archive, `backup` into BACKUP_DIR, where it removes the oldest; `backup
 * --verify FILE` checks an archive, `restore FILE` brings one back.
 * None of them boots the runtime, so that no migration runs: a backup is of the tables as they are.
 */
import { parseArgs } from "node:util";
import { type Command, type CommandIo, failureIn, type Instance, markerState } from "lectern/cli";
import { BootError } from "lectern/core";
import { StoreError } from "lectern/db";
import { fitOf, type Manifest, type Summary } from "./archive/manifest.ts";
import { ArchiveError } from "./archive/reader.ts";
import { configuredFolder, nextPlace, removeOldest } from "./backup_folder.ts";
import { createBackup } from "./create_backup.ts";
import { type BackupPlace, backupPlace } from "./places.ts";
import { restoreBackup } from "./restore_backup.ts";
import { settingsOf } from "./settings.ts";
import { verifyBackup } from "./verify_backup.ts";

/** The form of `restore`. */
const RESTORE_USAGE = "FILE [--replace]";

/** The commands. */
export const commands: Readonly<Record<"backup" | "restore", Command>> = {
  backup: {
    summary: "writes the store and the files into one archive, beside a running server, or verifies one",
    usage: "[FILE] | --verify FILE",
    store: false,
    run: (args, io, _context, instance) => backup(args, io, instance),
  },
  restore: {
    summary: "restores a backup into an empty instance, or in place of what is there",
    usage: RESTORE_USAGE,
    store: false,
    run: (args, io, _context, instance) => restore(args, io, instance),
  },
};

/** `backup`. Returns the exit code. */
async function backup(args: readonly string[], io: CommandIo, open?: () => Promise<Instance>): Promise<number> {
  const parsed = argumentsOf(args, "verify");
  if (!open || !parsed || (parsed.flag && parsed.file === undefined)) {
    io.err("Usage: backup [FILE] | backup --verify FILE");
    return 2;
  }
  const instance = await open();
  if (parsed.file !== undefined) {
    const place = backupPlace(parsed.file, instance);
    return parsed.flag ? verify(place, instance, io) : write(place, instance, io);
  }
  const folder = configuredFolder(instance);
  const code = await write(nextPlace(folder), instance, io);
  if (code === 0)
    for (const name of await removeOldest(folder, settingsOf(instance).backupKeep))
      io.out(`Removed the older backup ${name}`);
  return code;
}

/** `restore`. Returns the exit code. */
async function restore(args: readonly string[], io: CommandIo, open?: () => Promise<Instance>): Promise<number> {
  const parsed = argumentsOf(args, "replace");
  if (!open || parsed?.file === undefined) {
    io.err(`Usage: restore ${RESTORE_USAGE}`);
    return 2;
  }
  const instance = await open();
  await instance.refuseOtherNames();
  const place = backupPlace(parsed.file, instance);
  return explained(io, place, () =>
    instance.withFiles(async (files) => {
      const store = await instance.openStore();
      try {
        const target = { store, files, installed: instance.installed };
        const restored = await restoreBackup(place, target, { replace: parsed.flag, onNote: io.err });
        io.out(`Restored ${sizesOf(restored.summary)} of ${dateOf(restored.manifest)}`);
        if (!restored.manifest.files)
          io.out("It has no files: it was made before migrations, which do not change them");
        reportFit(restored.manifest, instance, io);
        return 0;
      } finally {
        await store.close();
      }
    }),
  );
}

async function write(place: BackupPlace, instance: Instance, io: CommandIo): Promise<number> {
  if (!(await instance.hasStore())) {
    io.err("There is no store yet, so there is nothing to back up");
    return 1;
  }
  return explained(io, place, () =>
    instance.withFiles(async (files, described) => {
      const store = await instance.openStore();
      try {
        await refuseOtherFiles({ db: store.db, files, place: described });
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
async function refuseOtherFiles(stores: Parameters<typeof markerState>[0]): Promise<void> {
  const state = await markerState(stores);
  if (state.kind === "wrong") throw new BootError(`Cannot back up: ${state.problem}`);
}

function verify(place: BackupPlace, instance: Instance, io: CommandIo): Promise<number> {
  return explained(io, place, async () => {
    const { manifest, summary } = await verifyBackup(place, io.err);
    io.out(`The backup is complete: ${sizesOf(summary)}, of ${dateOf(manifest)}`);
    io.out(`Written by Lectern ${manifest.lectern} over PostgreSQL ${manifest.postgres}`);
    reportFit(manifest, instance, io);
    return 0;
  });
}

/** Names the backup in errors: of a bad archive, and of a disk, an object store or a database that failed meanwhile. */
async function explained(io: CommandIo, place: BackupPlace, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const isWorded = error instanceof StoreError || (error instanceof BootError && !(error instanceof ArchiveError));
    const text = error instanceof ArchiveError ? error.message : failureIn(error, place.check);
    if (isWorded || text === undefined) throw error;
    io.err(`Cannot use the backup "${place.name}": ${text}`);
    return 1;
  }
}

function reportFit(manifest: Manifest, { installed }: Instance, io: CommandIo): void {
  const { problem, absent, migrates } = fitOf(manifest, installed);
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
