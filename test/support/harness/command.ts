import { join } from "node:path";

/** The program's file. */
export const CLI: string = join(import.meta.dir, "../../../core/cli.ts");

/** Runs a command of the program to its end, in a folder and with further variables. */
export async function command(
  args: readonly string[],
  env: Record<string, string>,
  cwd = join(import.meta.dir, "../../.."),
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([process.execPath, CLI, ...args], {
    cwd,
    env: { ...process.env, DATABASE_URL: "", LOG_LEVEL: "silent", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}
