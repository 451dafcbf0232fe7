/**
 * Scheduled maintenance of hosts: deletes old reports and unused counters, records the history, makes stale hosts inactive where
 * the operator configured that, and recounts everything once a day. Statements are small and skip locked rows, so that no report
 * waits for them.
 */
import { type Log, type PluginContext, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { COUNTS_KEPT } from "./counters.ts";
import { recordHistory } from "./history.ts";
import { correctCounters, type Difference, recount } from "./recount.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const REPORTS_KEPT = "30 days";
const BATCH = 2_000;
/** Differences shown in a log line. */
const SHOWN = 20;

/** Schedules the maintenance; a host without contact for `staleMinutes` becomes inactive, 0 for never. */
export function scheduleMaintenance(
  { every, log }: Pick<PluginContext, "every" | "log">,
  db: Db,
  staleMinutes: number,
) {
  let differences: readonly Difference[] = [];
  every("sweep", HOUR_MS, () => deleteOldReports(db));
  every("history", HOUR_MS, () => recordHistory(db));
  every("recount", DAY_MS, async () => {
    differences = await recount(db);
    if (differences.length > 0) await repair(db, differences, log);
  });
  if (staleMinutes > 0) every("stale", MINUTE_MS, () => deactivateStale(db, staleMinutes));
  return { drift: () => differences.length };
}

async function repair(db: Db, differences: readonly Difference[], log: Log): Promise<void> {
  log.error("Counters of hosts differ from a recount; they are set to the recount", {
    count: differences.length,
    differences: differences.slice(0, SHOWN).map(({ counter, stored, counted }) => `${counter}: ${stored}, ${counted}`),
  });
  await correctCounters(db);
}

/** Deletes reports and counters that are too old to be read. */
export async function deleteOldReports(db: Db): Promise<void> {
  for (let gone = BATCH; gone === BATCH; ) {
    const old = await rows(
      db,
      sql`delete from host_reports where id in (select id from host_reports
        where received_at < now() - interval '${sql.raw(REPORTS_KEPT)}' order by id limit ${BATCH} for update skip locked)
        returning id`,
    );
    gone = old.length;
  }
  await rows(db, sql`delete from report_counts where starts_at < now() - interval '${sql.raw(COUNTS_KEPT)}'`);
  await rows(
    db,
    sql`delete from host_totals where ctid = any(array(select ctid from host_totals
      where hosts = 0 and needing = 0 and at_risk = 0 and outdated = 0 and security = 0 and rebooting = 0
      for update skip locked))`,
  );
}

/** Makes hosts inactive that had no contact for `minutes`; their next contact makes them active again. */
export async function deactivateStale(db: Db, minutes: number): Promise<void> {
  for (let gone = BATCH; gone === BATCH; ) {
    const stale = await rows(
      db,
      sql`update hosts set status = 'inactive', inactive_reason = 'stale' where id in (select id from hosts
        where status = 'active' and last_seen_at < now() - make_interval(mins => ${minutes}::integer)
        order by id limit ${BATCH} for update skip locked) returning id`,
    );
    gone = stale.length;
  }
}
