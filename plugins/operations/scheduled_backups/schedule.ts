import { type RunningCommand, runCommand } from "lectern/cli";
import { HOUR_MS } from "lectern/core";
import type { BackupContext } from "./contract.ts";
import { claimFailed, recordBackup, releaseFailed } from "./queries.ts";

/** Characters of an error that are kept. */
const MAX_OUTCOME = 2_000;

/**
 * Runs the command `backup` at its times, in a process of its own: compressing and hashing would delay requests. The schedule does
 * not wait for it, since a stop of the server waits for schedules; a stop ends the command, which leaves no half of a file.
 */
export function scheduleBackups(context: BackupContext): void {
  const { jobs, log, onStart, onStop, settings } = context;
  if (settings.intervalHours === 0) return;
  let running: RunningCommand | undefined;
  let isStopping = false;
  onStop(async () => {
    isStopping = true;
    if (!running) return;
    running.kill();
    // The next start tries again what this stop ended.
    await releaseFailed(context);
  });
  async function backUp(): Promise<void> {
    const started_at = new Date().toISOString();
    running = runCommand(["backup"]);
    const { code, out, err } = await running.ended;
    running = undefined;
    if (isStopping) return;
    const failed = code !== 0;
    const outcome = (failed ? err || `The command ended with ${code}` : out).slice(0, MAX_OUTCOME);
    if (failed) log.error("A scheduled backup failed", { error: outcome });
    else log.info("A scheduled backup was made", { outcome });
    await recordBackup(context, { started_at, outcome, failed });
  }
  const intervalMs = Math.max(1, Math.round(settings.intervalHours * HOUR_MS));
  const begin = async () => {
    if (running) return log.warn("The scheduled backup before this one still runs");
    void backUp().catch((error: unknown) => log.error("Cannot record a scheduled backup", { error }));
  };
  jobs.every("backup", intervalMs, begin, { isFirstAtOnce: true });
  // What made the last one fail, such as a wrong BACKUP_DIR, may be mended by this start: nobody waits another interval for that.
  onStart(async () => {
    if (!running && (await claimFailed(context))) await begin();
  });
}
