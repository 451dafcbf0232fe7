/**
 * Scheduled maintenance of hosts: deletes old reports and unused counters, records the history, makes stale hosts inactive where
 * the operator configured that, and recounts everything once a day. Statements are small and skip locked rows, so that no report
 * waits for them.
 */
import { DAY_MS, HOUR_MS, type Log, MINUTE_MS, type PluginContext, type RawBuilder, sql } from "lectern/core";
import type { Db } from "lectern/db";
import { COUNTS_KEPT, MEASURES } from "./counters.ts";
import { recordHistory } from "./history.ts";
import { correctCounters, type Difference, recount } from "./recount.ts";

const REPORTS_KEPT = "30 days";
const BATCH = 2_000;
/** Differences shown in a log line. */
const SHOWN = 20;

/** Schedules the maintenance; a host without contact for `staleMinutes` becomes inactive, 0 for never. */
export function scheduleMaintenance({ jobs, log }: Pick<PluginContext, "jobs" | "log">, db: Db, staleMinutes: number) {
  let differences: readonly Difference[] = [];
  jobs.every("sweep", HOUR_MS, () => deleteOldReports(db));
  jobs.every("history", HOUR_MS, () => recordHistory(db));
  jobs.every("recount", DAY_MS, async () => {
    differences = await recount(db);
    if (differences.length > 0) await repair(db, differences, log);
  });
  if (staleMinutes > 0) jobs.every("stale", MINUTE_MS, () => deactivateStale(db, staleMinutes));
  return { drift: () => differences.length };
}

async function repair(db: Db, differences: readonly Difference[], log: Log): Promise<void> {
  log.error("Counters of hosts differ from a recount; they are set to the recount", {
    count: differences.length,
    differences: differences.slice(0, SHOWN).map(({ counter, stored, counted }) => `${counter}: ${stored}, ${counted}`),
  });
  await correctCounters(db);
}

/** The time that lies an interval ago, such as "30 days". */
function before(interval: string): RawBuilder<string> {
  return sql<string>`now() - interval ${sql.lit(interval)}`;
}

/** Deletes reports and counters that are too old to be read. */
export async function deleteOldReports(db: Db): Promise<void> {
  for (let gone = BATCH; gone === BATCH; ) {
    const old = await db
      .deleteFrom("host_reports")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("host_reports")
          .select("id")
          .where("received_at", "<", before(REPORTS_KEPT))
          .orderBy("id")
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .returning("id")
      .execute();
    gone = old.length;
  }
  await db.deleteFrom("report_counts").where("starts_at", "<", before(COUNTS_KEPT)).execute();
  const unused = db
    .selectFrom("host_totals")
    .select(sql`ctid`.as("ctid"))
    .where((eb) => eb.and(MEASURES.map((name) => eb(name, "=", 0))))
    .forUpdate()
    .skipLocked();
  await db.deleteFrom("host_totals").where(sql<boolean>`ctid = any(array${unused})`).execute();
}

/** Makes hosts inactive that had no contact for `minutes`; their next contact makes them active again. */
export async function deactivateStale(db: Db, minutes: number): Promise<void> {
  for (let gone = BATCH; gone === BATCH; ) {
    const stale = await db
      .updateTable("hosts")
      .set({ status: "inactive", inactive_reason: "stale" })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("hosts")
          .select("id")
          .where("status", "=", "active")
          .where("last_seen_at", "<", before(`${minutes} minutes`))
          .orderBy("id")
          .limit(BATCH)
          .forUpdate()
          .skipLocked(),
      )
      .returning("id")
      .execute();
    gone = stale.length;
  }
}
