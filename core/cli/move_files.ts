/**
 * The command `move-files`: copies uploaded files between the data folder and the bucket. It copies while a server runs, as often
 * as wanted; it finishes only if none runs, by writing the marker of the target and withdrawing that of the source. A start
 * with the setting of the target is refused before that, and one with the setting of the source after it.
 */
import { mkdirSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { type Db, openStore, StoreError } from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import { DISK, S3 } from "../files/contributed_store.ts";
import { type CopyResult, copyFiles } from "../files/copy_files.ts";
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
import { failureIn } from "./failure_text.ts";
import { fileStoreOf, readConfig, reportMissingStore, storeOptions } from "./open.ts";
import { reportPending } from "./pending.ts";

/** The arguments of the command. */
export const MOVE_USAGE = "--to s3|disk [--parallel COUNT]";

type Place = typeof DISK | typeof S3;

/** Returns 0 where the files are moved, 1 where they are copied and a server still runs. */
export async function moveFilesCommand(io: CommandIo, args: readonly string[]): Promise<number> {
  const options = readArgs(args);
  if (!options) {
    io.err(`Usage: move-files ${MOVE_USAGE}`);
    return 2;
  }
  const config = readConfig(io);
  if ((await reportMissingStore(io)) || (await reportPending([], io))) return 1;
  const { target, parallel } = options;
  const source = target === S3 ? DISK : S3;
  const [from, to] = [shippedStore(config, source), shippedStore(config, target)];
  const store = await openStore(storeOptions(config));
  try {
    await checkPlaces(store.db, { from, to, source, target });
    mkdirSync(config.dataDir, { recursive: true });
    const journal = `${config.dataDir}/move-files-to-${target}.sqlite`;
    const wasRunning = await isServerRunning(store.db);
    const result = await copyFiles({ from, to, journal, parallel, onProgress: progressOf(io) });
    io.out(`Copied and verified ${result.files} files (${result.bytes} bytes), ${result.kept} were copied before`);
    if (wasRunning || (await isServerRunning(store.db))) {
      io.err(
        "A server runs over this database. Stop it and run this command again, which copies what came in meanwhile",
      );
      return 1;
    }
    await finish(store.db, { from, to, target });
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${journal}${suffix}`, { force: true });
    io.out(
      `The files are moved. Set FILES_STORE=${target} and start the server; delete the files of the former place later`,
    );
    return 0;
  } catch (error) {
    const text =
      error instanceof BootError || error instanceof StoreError ? undefined : failureIn(error, { usesBucket: true });
    throw text === undefined ? error : new BootError(`Cannot move files to "${target}": ${text}`, { cause: error });
  } finally {
    await store.close();
  }
}

function readArgs(args: readonly string[]): { target: Place; parallel: number } | undefined {
  try {
    const { to, parallel = "4" } = parseArgs({
      args: [...args],
      options: { to: { type: "string" }, parallel: { type: "string" } },
    }).values;
    if ((to !== DISK && to !== S3) || !/^[1-9]\d?$/.test(parallel)) return undefined;
    return { target: to, parallel: Number(parallel) };
  } catch {
    // An unknown option, which the usage answers.
    return undefined;
  }
}

function shippedStore(config: Config, place: Place): FileStore {
  return fileStoreOf({ ...config, filesStore: place });
}

interface Places {
  readonly from: FileStore;
  readonly to: FileStore;
  readonly source: Place;
  readonly target: Place;
}

/** Checks that the source is that of the database and the target of no other. Throws BootError. */
async function checkPlaces(db: Db, { from, to, source, target }: Places): Promise<void> {
  const state = await markerState({ db, files: from, place: `"${source}"` });
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
async function finish(db: Db, { from, to, target }: Omit<Places, "source">): Promise<void> {
  await writeMarker({ db, files: to });
  await markTimelines(to, await markedTimelines(from));
  await markAs({ db, files: from }, target);
}

function progressOf(io: CommandIo): (progress: CopyResult) => void {
  let shownAt = 0;
  return ({ files, kept, bytes }) => {
    if (!io.tty || performance.now() - shownAt < 1_000) return;
    shownAt = performance.now();
    io.err(`${files + kept} files, ${bytes} bytes copied`);
  };
}
