/**
 * The command `move-files`: copies uploaded files between the data folder and a store that a plugin declares, such as a bucket. It copies while a server runs, as often
 * as wanted; it finishes only if none runs, by writing the marker of the target and withdrawing that of the source. A start
 * with the setting of the target is refused before that, and one with the setting of the source after it.
 */
import { mkdirSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { type Db, openStore, StoreError } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { DISK, type NamedStore } from "../files/contributed_store.ts";
import type { FileStore } from "../files/file_store.ts";
import {
  claimId,
  markAs,
  markedTimelines,
  markerState,
  markTimelines,
  readMarker,
  writeMarker,
} from "../files/instance_marker.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { type CopyResult, copyFiles } from "./copy_files.ts";
import { failureIn } from "./failure_text.ts";
import { openFiles, readConfig, reportMissingStore, storeOptions } from "./open.ts";
import { type OpenedFiles, openableNames } from "./opened_files.ts";
import { reportPending } from "./pending.ts";

/** Returns 0 where the files are moved, 1 where they are copied and a server still runs. */
export async function moveFilesCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const names = openableNames(plugins);
  const options = readArgs(args, names);
  if (!options) {
    io.err(`Usage: move-files --to ${names.toReversed().join("|")} [--parallel COUNT]`);
    return 2;
  }
  const config = readConfig(io, plugins);
  if ((await reportMissingStore(plugins, io)) || (await reportPending(plugins, io))) return 1;
  const open = (filesStore: string) => openFiles({ ...config, filesStore }, plugins, io);
  const to = await open(options.target);
  const from = await open(sourceOf(to, await openFiles(config, plugins, io), names));
  const store = await openStore(storeOptions(config, plugins, io));
  try {
    await checkPlaces(store.db, from, to);
    mkdirSync(config.dataDir, { recursive: true });
    const journal = `${config.dataDir}/move-files-to-${to.name}.sqlite`;
    const wasRunning = await isServerRunning(store.db);
    const { parallel } = options;
    const result = await copyFiles({ from: from.files, to: to.files, journal, parallel, onProgress: progressOf(io) });
    io.out(`Copied and verified ${result.files} files (${result.bytes} bytes), ${result.kept} were copied before`);
    if (wasRunning || (await isServerRunning(store.db))) {
      io.err(
        "A server runs over this database. Stop it and run this command again, which copies what came in meanwhile",
      );
      return 1;
    }
    await finish(store.db, from.files, to);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${journal}${suffix}`, { force: true });
    io.out(
      `The files are moved. Set FILES_STORE=${to.name} and start the server; delete the files of the former place later`,
    );
    return 0;
  } catch (error) {
    const isWorded = error instanceof BootError || error instanceof StoreError;
    const text = isWorded ? undefined : failureIn(error, from.check === "" ? to.check : from.check);
    throw text === undefined ? error : new BootError(`Cannot move files to "${to.name}": ${text}`, { cause: error });
  } finally {
    await store.close();
  }
}

function readArgs(args: readonly string[], names: readonly string[]): { target: string; parallel: number } | undefined {
  try {
    const { to, parallel = "4" } = parseArgs({
      args: [...args],
      options: { to: { type: "string" }, parallel: { type: "string" } },
    }).values;
    if (to === undefined || !names.includes(to) || !/^[1-9]\d?$/.test(parallel)) return undefined;
    return { target: to, parallel: Number(parallel) };
  } catch {
    // An unknown option, which the usage answers.
    return undefined;
  }
}

/** The name of the store that files are moved from: the one in use, else the data folder, else the only other one. */
function sourceOf(to: OpenedFiles, used: OpenedFiles, names: readonly string[]): string {
  if (used.name !== to.name) return used.name;
  if (to.name !== DISK) return DISK;
  const others = names.filter((name) => name !== DISK);
  const [only] = others;
  if (only !== undefined && others.length === 1) return only;
  throw new BootError(`Cannot move files to "${to.name}": set FILES_STORE to the place where they are`);
}

/** Checks that the source is that of the database and the target of no other. Throws BootError. */
async function checkPlaces(db: Db, from: NamedStore, { name: target, files: to }: NamedStore): Promise<void> {
  const state = await markerState({ db, files: from.files, place: `"${from.name}"` });
  if (state.kind === "wrong") throw new BootError(`Cannot move files to "${target}": ${state.problem}`);
  const present = await readMarker(to);
  if (present && present.instance !== (await claimId(db)))
    throw new BootError(`Cannot move files to "${target}": it belongs to another instance, ${present.instance}`);
}

/** Servers and commands that may write files hold a connection that listens to notifications; this command does not. */
async function isServerRunning(db: Db): Promise<boolean> {
  const { rows } = await sql<{ running: boolean }>`select exists (select from pg_stat_activity
    where datname = current_database() and application_name = 'lectern' and query ~* '^(un)?listen ') as running`.execute(
    db,
  );
  return rows[0]?.running ?? false;
}

/** Killed in between, the files are still those of the source, and the next run finishes. */
async function finish(db: Db, from: FileStore, { name, files: to }: NamedStore): Promise<void> {
  await writeMarker({ db, files: to });
  await markTimelines(to, await markedTimelines(from));
  await markAs({ db, files: from }, name);
}

function progressOf(io: CommandIo): (progress: CopyResult) => void {
  let shownAt = 0;
  return ({ files, kept, bytes }) => {
    if (!io.tty || performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    io.err(`${files + kept} files, ${bytes} bytes copied`);
  };
}
