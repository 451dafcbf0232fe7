/**
 * Purging expired entries (platform 7.5). Each entry is removed in a transaction of its own, so that a purge locks no
 * entry for long and an entry that fails does not stop the others. It runs every hour, and after a delete that finds expired
 * entries.
 */
import { ApiError, SYSTEM, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { destroyEntry, lockEntry } from "./changes.ts";
import type { DeletionOutcome, RecycleBinContext } from "./contract.ts";

const BATCH = 100;

/** Removes the entries older than so many days; none where that is negative. A failure is logged, and tried again next time. */
export async function purgeExpired(context: RecycleBinContext, days: number): Promise<void> {
  // A job may be older than the operator's change of the setting to "never".
  if (days < 0) return;
  for (let last = 0; ; ) {
    const expired = await rows<{ id: number }>(
      context.db,
      sql`select id from deletions where id > ${last}::integer and ${isExpired(days)} order by id limit ${BATCH}`,
    );
    for (const { id } of expired) {
      last = id;
      await purgeEntry(context, id).catch((error: unknown) =>
        context.log.error("Cannot purge an entry of the recycle bin", { entry: id, error }),
      );
    }
    if (expired.length < BATCH) return;
  }
}

/**
 * Removes an entry permanently and returns the number of items: 0 where it was restored or destroyed since, or removed
 * with another item.
 */
export async function purgeEntry(
  context: Pick<RecycleBinContext, "perform" | "slot">,
  id: number,
  viewer: Viewer = SYSTEM,
): Promise<number> {
  try {
    const { count } = await context.perform(
      "recycle_bin_purge",
      viewer,
      { id },
      async (final, tx): Promise<DeletionOutcome> => {
        const entry = await lockEntry(context, final.id, tx);
        return { ...entry, count: await destroyEntry(context, entry, tx) };
      },
    );
    return count;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 0;
    throw error;
  }
}

/** Whether there are expired entries. */
export async function hasExpired(db: Pick<Db, "executeQuery">, days: number): Promise<boolean> {
  return (await rows(db, sql`select from deletions where ${isExpired(days)} limit 1`)).length > 0;
}

function isExpired(days: number) {
  return sql`created_at < now() - make_interval(days => ${days}::integer)`;
}
