import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** Rows deleted in one statement. */
const BATCH = 10_000;

/** A number of days that a timestamp can go back. */
export const MAX_DAYS = 1_000_000;

/**
 * Deletes rows older than `days` and returns their number. It deletes in batches, each a transaction of its own, so that a
 * long log does not take a transaction of minutes; if it is interrupted, the completed batches stay deleted.
 */
export async function prune(db: Pick<Db, "executeQuery">, days: number): Promise<number> {
  for (let total = 0; ; ) {
    const [removed] = await rows<{ n: number }>(
      db,
      sql`with old as (select id from activities
          where created_at < now() - make_interval(days => ${days}::integer) order by created_at limit ${BATCH}),
        removed as (delete from activities where id in (select id from old) returning 1)
        select count(*) as n from removed`,
    );
    const n = removed?.n ?? 0;
    total += n;
    if (n < BATCH) return total;
  }
}
