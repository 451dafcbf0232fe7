import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

const BATCH = 10_000;

/** No more days than a timestamp can go back. */
export const MAX_DAYS = 1_000_000;

/**
 * Removes rows that are older than so many days and answers how many those were. Some thousand at a time, so that a log
 * of years is no transaction of minutes; where it is broken off, what it did stays done.
 */
export async function prune(db: Pick<Db, "executeQuery">, days: number): Promise<number> {
  for (let gone = 0; ; ) {
    const [removed] = await rows<{ n: number }>(
      db,
      sql`with old as (select id from activities
          where created_at < now() - make_interval(days => ${days}::integer) order by created_at limit ${BATCH}),
        removed as (delete from activities where id in (select id from old) returning 1)
        select count(*) as n from removed`,
    );
    const n = removed?.n ?? 0;
    gone += n;
    if (n < BATCH) return gone;
  }
}
