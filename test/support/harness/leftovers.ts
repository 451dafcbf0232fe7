import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../../db/embedded/pid.ts";

const FOLDER = /^lectern-tests-(\d+)-/;

/** A folder for a store that all files of a process share. Later runs remove it, since a process of tests has no hook at its end. */
export function folderOfRun(): string {
  sweepLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `lectern-tests-${process.pid}-`));
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
