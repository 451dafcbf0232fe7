import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

/** Rows deleted in one statement. */
const BATCH = 10_000;

/** A number of days that a timestamp can go back. */
export const MAX_DAYS = 1_000_000;

const removeOld = prepared("audit_log.removeOld", (db, p: { days: number }) =>
  db
    .with("old", (cte) =>
      cte
        .selectFrom("activities")
        .select("id")
        .where("created_at", "<", sql<string>`now() - make_interval(days => ${p.days}::integer)`)
        .orderBy("created_at")
        .limit(sql.lit(BATCH)),
    )
    .with("removed", (cte) =>
      cte
        .deleteFrom("activities")
        .where("id", "in", (eb) => eb.selectFrom("old").select("id"))
        .returning("id"),
    )
    .selectFrom("removed")
    .select(({ fn }) => fn.countAll<number>().as("n")),
);

/**
 * Deletes rows older than `days` and returns their number. It deletes in batches, each a transaction of its own, so that a
 * long log does not take a transaction of minutes; if it is interrupted, the completed batches stay deleted.
 */
export async function prune(db: Executor, days: number): Promise<number> {
  for (let total = 0; ; ) {
    const n = (await removeOld.executeTakeFirst(db, { days }))?.n ?? 0;
    total += n;
    if (n < BATCH) return total;
  }
}
