import { type SweepResult, sweepFiles } from "../files/orphan_sweep.ts";
import { openSpool } from "../input/upload_spool.ts";
import type { CommandIo } from "../runtime/command.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { openFiles, openRuntime, readConfig, reportMissingStore } from "./open.ts";

/** The forms of the command. */
export const FILES_USAGE = "sweep [--dry-run] | accept";

/**
 * `files sweep [--dry-run]` deletes files that no row refers to, and uploads that crashes left in the spool
 * or unfinished in a bucket. `files accept`
 * makes the configured file store that of the database, where a start refuses it.
 */
export async function filesCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const [verb, ...options] = args;
  if (verb === "accept" && options.length === 0) return accept(plugins, io);
  if (verb === "sweep" && options.every((option) => option === "--dry-run")) return sweep(plugins, io, options);
  io.err(`Usage: files ${FILES_USAGE}`);
  return 2;
}

async function accept(plugins: readonly AnyPlugin[], io: CommandIo): Promise<number> {
  const config = readConfig(io, plugins);
  const { described } = await openFiles(config, plugins, io);
  const { runtime } = await openRuntime(plugins, { ...io, env: { LOG_LEVEL: "warn", ...io.env } }, config, "accept");
  await runtime.stop();
  io.out(`Accepted ${described} as the files of this database`);
  return 0;
}

async function sweep(plugins: readonly AnyPlugin[], io: CommandIo, options: readonly string[]): Promise<number> {
  const dryRun = options.length > 0;
  if (dryRun && (await reportMissingStore(plugins, io))) return 0;
  const { runtime, files, config } = await openRuntime(plugins, { ...io, env: { LOG_LEVEL: "warn", ...io.env } });
  try {
    const claims = runtime.contexts.values().next().value?.slot("file_claims") ?? [];
    report(await sweepFiles(files, claims, { dryRun }), dryRun, io);
    if (!dryRun) await openSpool(`${config.dataDir}/spool`).sweep();
    return 0;
  } finally {
    await runtime.stop();
  }
}

function report({ orphans, kept, unclaimed, unfinished }: SweepResult, dryRun: boolean, io: CommandIo): void {
  for (const { key, size } of orphans) io.out(`${dryRun ? "would remove" : "removed"} ${key} (${size} bytes)`);
  for (const [owner, count] of unclaimed) io.out(`skipped: ${count} files of "${owner}", which no plugin claims`);
  for (const { key, started } of unfinished)
    io.out(`${dryRun ? "would end" : "ended"} the unfinished upload of ${key} (begun ${started.toISOString()})`);
  const bytes = orphans.reduce((sum, { size }) => sum + size, 0);
  io.out(`${orphans.length} files without a row (${bytes} bytes), ${kept} files kept`);
}
