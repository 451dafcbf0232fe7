import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../../db/embedded/pid.ts";

const FOLDER = /^lectern-tests-(\d+)-/;

/** The file system in memory of Linux. */
const MEMORY = "/dev/shm";
/** Data folders of a run take about 2 GB at a time. */
const MEMORY_MIN_BYTES = 8 * 2 ** 30;

/**
 * Where the files of a whole run belong: in memory where much is free, since PostgreSQL writes a cluster and waits for the disk
 * for every program that a test starts; else where files of programs belong. A killed process loses as much in either.
 */
export function placeOfRun(): string {
  if (!existsSync(MEMORY) || !existsSync("/proc/meminfo")) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  const available = 1024 * Number(/^MemAvailable: +(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0);
  return Math.min(bavail * bsize, available) >= MEMORY_MIN_BYTES ? MEMORY : tmpdir();
}

/** A folder for what all files of a process or run share. Later runs remove it, since a process of tests has no hook at its end. */
export function folderOfRun(place = tmpdir()): string {
  sweepLeftovers(place);
  const folder = mkdtempSync(join(place, `lectern-tests-${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** Errors of removing another user's files in a shared folder. */
const NOT_OURS = new Set(["EPERM", "EACCES"]);

/** Removes the folders of runs that have ended, except those of other users. */
export function sweepLeftovers(
  folder = tmpdir(),
  remove = (path: string) => rmSync(path, { recursive: true, force: true }),
): void {
  for (const name of readdirSync(folder)) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      remove(join(folder, name));
    } catch (error) {
      if (!NOT_OURS.has((error as { code?: string }).code ?? "")) throw error;
    }
  }
}
