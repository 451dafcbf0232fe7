import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FOLDER = /^lectern-tests-(\d+)-/;

/** A folder for a store that every file of a test run shares. The run cannot remove it itself: its last word comes too early. */
export function folderOfRun(): string {
  sweepLeftovers();
  const folder = mkdtempSync(join(tmpdir(), `lectern-tests-${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes the folders of runs that have ended. */
export function sweepLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is one that runs.
    return (error as { code?: string }).code === "EPERM";
  }
}
