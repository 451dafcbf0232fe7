/**
 * What happens to hosts without anybody asking: old reports go, counters nobody needs any more go, silent hosts leave the
 * numbers where the operator wants that, and every night all is counted again. Each step is small and leaves alone what
 * somebody else has locked, so that no report waits for it.
 */
import { type Log, type PluginContext, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { COUNTS_KEPT } from "./counters.ts";
import { keepHistory } from "./history.ts";
import { correctCounters, type Difference, recount } from "./recount.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const REPORTS_KEPT = "30 days";
const BATCH = 2_000;
/** Differences that a line of the log shows. */
const SHOWN = 20;

/** Sets up the work at intervals; `staleMinutes` is the silence that makes a host inactive, 0 for never. */
export function keepUp({ every, log }: Pick<PluginContext, "every" | "log">, db: Db, staleMinutes: number) {
  let differences: readonly Difference[] = [];
  every("sweep", HOUR_MS, () => sweep(db));
  every("history", HOUR_MS, () => keepHistory(db));
  every("recount", DAY_MS, async () => {
    differences = await recount(db);
    if (differences.length > 0) await repair(db, differences, log);
  });
  if (staleMinutes > 0) every("stale", MINUTE_MS, () => retire(db, staleMinutes));
  return { drift: () => differences.length };
}

async function repair(db: Db, differences: readonly Difference[], log: Log): Promise<void> {
  log.error("Counters of hosts differ from a recount; they are set to what was counted", {
    count: differences.length,
    differences: differences.slice(0, SHOWN).map(({ counter, stored, counted }) => `${counter}: ${stored}, ${counted}`),
  });
  await correctCounters(db);
}

/** Removes reports and counters that are too old to matter. */
export async function sweep(db: Db): Promise<void> {
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

/** Takes hosts out of the numbers that have been silent for so long; their next word brings them back. */
export async function retire(db: Db, minutes: number): Promise<void> {
  for (let gone = BATCH; gone === BATCH; ) {
    const silent = await rows(
      db,
      sql`update hosts set status = 'inactive', inactive_reason = 'stale' where id in (select id from hosts
        where status = 'active' and last_seen_at < now() - make_interval(mins => ${minutes}::integer)
        order by id limit ${BATCH} for update skip locked) returning id`,
    );
    gone = silent.length;
  }
}
