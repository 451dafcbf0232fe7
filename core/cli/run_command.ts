import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { INSTALL_ROOT } from "../install_root.ts";
import { isList } from "./resolve.ts";

/** A command that runs in a process of its own. */
export interface RunningCommand {
  /** Its exit code, null where a signal ended it, and what it wrote. */
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  /** Ends it at once. */
  kill(): void;
}

/**
 * Runs a command of the program in a process of its own, with the variables, the folder and the plugin lists of this one: work
 * that would block the event loop, or that has to end with a process.
 * @example
 * const { code, err } = await runCommand(["backup"]).ended;
 * if (code !== 0) throw new Error(err);
 */
export function runCommand(args: readonly string[]): RunningCommand {
  const lists = process.argv.slice(2).filter(isList);
  const child: ChildProcess = spawn(process.execPath, [join(INSTALL_ROOT, "core/cli.ts"), ...args, ...lists], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const read = (stream: ChildProcess["stdout"]) => (stream ? text(stream) : Promise.resolve(""));
  const ended = Promise.all([once(child, "close"), read(child.stdout), read(child.stderr)]).then(
    ([[code], out, err]) => ({ code: code as number | null, out: out.trim(), err: err.trim() }),
  );
  return { ended, kill: () => void child.kill("SIGKILL") };
}
