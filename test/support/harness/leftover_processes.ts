import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { until } from "./until.ts";

/** Limit of the shutdown of a server that a run left behind. */
const SHUTDOWN_MS = 5_000;

/**
 * Ends a process group, and the processes that work below a folder, such as servers and programs in groups of their own. Servers get
 * the signal of a fast shutdown, since one that is killed leaves shared memory behind; a stopped one takes it when it goes on.
 */
export async function endLeftovers(folder: string, group?: number): Promise<void> {
  if (group !== undefined) send(group, "SIGKILL");
  const left = processesBelow(folder);
  for (const pid of left) send(pid, "SIGCONT");
  for (const pid of left) if (isServer(pid)) send(pid, "SIGINT");
  await until(() => !left.some((pid) => isServer(pid)), Boolean, SHUTDOWN_MS).catch(() => {
    // What does not shut down is killed.
  });
  if (group !== undefined) send(-group, "SIGKILL");
  await until(() => killBelow(folder) === 0);
}

/** Sends each time it looks: a process is not seen before the kernel has written down its environment, soon after its start. */
function killBelow(folder: string): number {
  const below = processesBelow(folder);
  for (const pid of below) send(pid, "SIGKILL");
  return below.length;
}

/** Processes whose working folder or TMPDIR is below a folder; none where the system has no list of them in files. */
function processesBelow(folder: string): number[] {
  if (!existsSync("/proc/self/cwd")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => `${workingFolder(name)}/`.startsWith(`${folder}/`) || hasTemporary(name, folder))
    .map(Number);
}

function hasTemporary(pid: string, folder: string): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return variables.some((variable) => `${variable}/`.startsWith(`TMPDIR=${folder}/`));
  } catch {
    // It has ended, or is of another user.
    return false;
  }
}

function workingFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has ended, or is of another user.
    return undefined;
  }
}

/** Whether a process is the first one of a PostgreSQL server, which ends the others. */
function isServer(pid: number): boolean {
  try {
    return /postgres\0(?:.*\0)?-D\0/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  } catch {
    // It has ended.
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended.
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}
