import { join } from "node:path";
import type { Subprocess } from "bun";
import { programName } from "../../../core/runtime/program_name.ts";
import { PROGRAM_ROOT } from "./program.ts";

/** The program's file. */
export const CLI: string = join(PROGRAM_ROOT, "core/cli.ts");
/** The list of what ships with it. */
export const SHIPPED: string = join(PROGRAM_ROOT, "plugins/mod.ts");
/** How its messages name it. */
export const PROGRAM_NAME: string = programName(PROGRAM_ROOT);
/** Arguments that type-check the folder after them; one thread takes two thirds of the CPU time of several. */
export const TSC: readonly string[] = ["tsc", "--noEmit", "--singleThreaded", "-p"];

/** How a command ended. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the program to its end, in a folder and with further variables. */
export function command(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string = PROGRAM_ROOT,
): Promise<CommandResult> {
  return run([CLI, ...args], env, cwd);
}

/** A command for the process of `quickCommand`. */
export interface CommandTask {
  readonly id: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

let others:
  | { readonly child: Subprocess; readonly waiting: Map<number, PromiseWithResolvers<CommandResult>> }
  | undefined;
let tasks = 0;

/**
 * Runs a command to its end as `command` does, but in one process with those of other tests, as starting one takes longer than most
 * commands. For commands whose result is the subject: not for a process that is to end by itself, get signals or read a terminal,
 * and not for plugins whose files changed since an earlier command, as they are imported once.
 */
export async function quickCommand(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string = PROGRAM_ROOT,
): Promise<CommandResult> {
  others ??= startOthers();
  const { child, waiting } = others;
  const id = ++tasks;
  const ended = Promise.withResolvers<CommandResult>();
  waiting.set(id, ended);
  const task: CommandTask = { id, args, env: environment(env), cwd };
  child.send(task);
  return ended.promise;
}

function startOthers(): NonNullable<typeof others> {
  const waiting = new Map<number, PromiseWithResolvers<CommandResult>>();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "_command_process.ts")], {
    cwd: PROGRAM_ROOT,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
    serialization: "json",
    ipc({ id, ...result }: CommandResult & { id: number }) {
      waiting.get(id)?.resolve(result);
      waiting.delete(id);
    },
    onExit(_, code) {
      if (others?.child === child) others = undefined;
      for (const { reject } of waiting.values()) reject(new Error(`The process of commands ended with ${code}`));
    },
  });
  return { child, waiting };
}

/** Without the server of the tests and lines of the log, unless a test wants them. */
function environment(env: Record<string, string>): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return { ...Object.fromEntries(own), DATABASE_URL: "", LOG_LEVEL: "silent", ...env };
}

async function run(args: readonly string[], env: Record<string, string>, cwd: string): Promise<CommandResult> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd,
    env: environment(env),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}
