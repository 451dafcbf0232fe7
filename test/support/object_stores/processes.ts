/** The processes of a server that consists of several: started in order, logged to files, ended together. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";

const END_MS = 10_000;

/** Processes whose folder has their configuration, data and logs. */
export interface Processes {
  /** Starts a process, whose output goes to `NAME.log` in the folder. */
  start(name: string, program: string, args: readonly string[]): void;
  /** Runs a command to its end and returns what it wrote. Throws if it fails. */
  run(program: string, args: readonly string[]): string;
  /** Throws if a process has ended by itself. */
  check(): void;
  stop(): Promise<void>;
}

/** The processes of one server. */
export function processes(folder: string): Processes {
  const running = new Map<string, ChildProcess>();
  return {
    start(name, program, args) {
      const output = openSync(join(folder, `${name}.log`), "a");
      running.set(name, spawn(program, args, { cwd: folder, stdio: ["ignore", output, output] }));
    },
    run(program, args) {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
      if (status !== 0) throw new Error(`Cannot run ${program} ${args.join(" ")}: ${stderr.trim()}`);
      return stdout;
    },
    check() {
      for (const [name, { exitCode }] of running)
        if (exitCode !== null) throw new Error(`${name} ended with ${exitCode}; see ${folder}/${name}.log`);
    },
    async stop() {
      await Promise.all([...running.values()].toReversed().map(ended));
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await gone;
  clearTimeout(timer);
}
