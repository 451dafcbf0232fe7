import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The postmaster of the embedded server in a data folder. */
export function embeddedPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8").split("\n")[0]);
}

/** Stops a PostgreSQL server with all its processes, as an overloaded or suspended machine would, while `run` goes on. */
export async function whileStalled<T>(postmaster: number, run: () => Promise<T>): Promise<T> {
  // The postmaster first, so that it starts no more.
  process.kill(postmaster, "SIGSTOP");
  const children = childrenOf(postmaster);
  signal(children, "SIGSTOP");
  try {
    return await run();
  } finally {
    signal([...children, postmaster], "SIGCONT");
  }
}

function childrenOf(parent: number): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid="]);
  return stdout
    .toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // One that has ended meanwhile needs no signal.
      if ((error as { code?: string }).code !== "ESRCH") throw error;
    }
  }
}
