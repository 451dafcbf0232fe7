import { join } from "node:path";

/** The program's file. */
export const CLI: string = join(import.meta.dir, "../../../core/cli.ts");
/** Arguments that type-check the folder after them; one thread takes two thirds of the CPU time of several. */
export const TSC: readonly string[] = ["tsc", "--noEmit", "--singleThreaded", "-p"];
const ROOT = join(import.meta.dir, "../../..");

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
  cwd: string = ROOT,
): Promise<CommandResult> {
  return run([CLI, ...args], env, cwd);
}

/**
 * Runs several commands to their ends, as `command` does, but in one process, since starting one for each takes longer than
 * the commands. Of each result, `left` is what the folder contained afterwards.
 */
export async function commandsInOneProcess(
  list: readonly (readonly string[])[],
  env: Record<string, string>,
  cwd: string = ROOT,
): Promise<(CommandResult & { left: readonly string[] })[]> {
  const { code, out, err } = await run([join(import.meta.dir, "_many_commands.ts"), JSON.stringify(list)], env, cwd);
  if (code !== 0) throw new Error(`Cannot run commands: the process ended with ${code} and wrote "${err}"`);
  return JSON.parse(out);
}

async function run(args: readonly string[], env: Record<string, string>, cwd: string): Promise<CommandResult> {
  const child = Bun.spawn([process.execPath, ...args], {
    cwd,
    env: { ...process.env, DATABASE_URL: "", LOG_LEVEL: "silent", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}
