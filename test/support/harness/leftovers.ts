import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../../db/embedded/pid.ts";

const FOLDER = /^lectern-tests-(\d+)-/;

/** A folder for a store that every file of a test run shares. The run cannot remove it itself: its last word comes too early. */
export function folderOfRun(): string {
  sweepLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `lectern-tests-${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** What a file system says of what is somebody else's, in a folder that all may write to. */
const NOT_OURS = new Set(["EPERM", "EACCES"]);

/** Removes the folders of runs that have ended; those of other users are theirs to remove. */
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
