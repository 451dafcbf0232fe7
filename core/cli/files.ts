import { type SweepResult, sweepFiles } from "../files/orphan_sweep.ts";
import { openSpool } from "../input/upload_spool.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import type { CommandIo } from "./command.ts";
import { openRuntime, reportMissingStore } from "./open.ts";

/** `files sweep [--dry-run]`: deletes files that no row refers to, and uploads that crashes left in the spool. */
export async function sweepFilesCommand(
  plugins: readonly AnyPlugin[],
  io: CommandIo,
  args: readonly string[],
): Promise<number> {
  const [verb, ...options] = args;
  if (verb !== "sweep" || options.some((option) => option !== "--dry-run")) {
    io.err("Usage: files sweep [--dry-run]");
    return 2;
  }
  const dryRun = options.length > 0;
  if (dryRun && (await reportMissingStore(io))) return 0;
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

function report({ orphans, kept, unclaimed }: SweepResult, dryRun: boolean, io: CommandIo): void {
  for (const { key, size } of orphans) io.out(`${dryRun ? "would remove" : "removed"} ${key} (${size} bytes)`);
  for (const [owner, count] of unclaimed) io.out(`skipped: ${count} files of "${owner}", which no plugin claims`);
  const bytes = orphans.reduce((sum, { size }) => sum + size, 0);
  io.out(`${orphans.length} files without a row (${bytes} bytes), ${kept} files kept`);
}
