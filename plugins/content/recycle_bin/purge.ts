/**
 * Purging expired entries (platform 7.5). Each entry is removed in a transaction of its own, so that a purge locks no
 * entry for long and an entry that fails does not stop the others. It runs every hour, and after a delete that finds expired
 * entries.
 */
import { ApiError, SYSTEM, sql, type Viewer } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { destroyEntry, lockEntry } from "./changes.ts";
import type { DeletionOutcome, RecycleBinContext } from "./contract.ts";
import { kindNames } from "./hierarchy.ts";

const BATCH = 100;

/** SQL for a time that was so many days ago. */
const daysAgo = (days: number) => sql<string>`now() - make_interval(days => ${days}::integer)`;

const nextExpired = prepared(
  "recycle_bin.nextExpired",
  (db, p: { after: number; days: number; kinds: readonly string[] }) =>
    db
      .selectFrom("deletions")
      .select("id")
      .where("id", ">", p.after)
      .where("deletable_type", "=", sql<string>`any(${p.kinds}::text[])`)
      .where("created_at", "<", daysAgo(p.days))
      .orderBy("id")
      .limit(sql.lit(BATCH)),
);

const anyExpired = prepared("recycle_bin.anyExpired", (db, p: { days: number; kinds: readonly string[] }) =>
  db
    .selectFrom("deletions")
    .where("created_at", "<", daysAgo(p.days))
    .where("deletable_type", "=", sql<string>`any(${p.kinds}::text[])`)
    .limit(sql.lit(1)),
);

const keptExpired = prepared("recycle_bin.keptExpired", (db, p: { days: number; kinds: readonly string[] }) =>
  db
    .selectFrom("deletions")
    .select(({ fn }) => ["deletable_type as kind", fn.countAll<number>().as("count")])
    .where("created_at", "<", daysAgo(p.days))
    .where("deletable_type", "<>", sql<string>`all(${p.kinds}::text[])`)
    .groupBy("deletable_type"),
);

/**
 * Removes the entries older than so many days; none where that is negative. A failure is logged, and tried again next time.
 * Entries of kinds whose plugin is not installed stay, and the log says how many.
 */
export async function purgeExpired(context: RecycleBinContext, days: number): Promise<void> {
  // A job may be older than the operator's change of the setting to "never".
  if (days < 0) return;
  const kinds = kindNames(context);
  const kept = await keptExpired.execute(context.db, { days, kinds });
  if (kept.length > 0)
    context.log.warn("Expired entries of the recycle bin stay, as the plugins of their kinds are not installed", {
      kept,
    });
  for (let last = 0; ; ) {
    const expired = await nextExpired.execute(context.db, { after: last, days, kinds });
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

/** Removes an entry as `purgeEntry` does; undefined where it is refused, as rows of other tables refer to its item. */
export async function purgeUnlessKept(
  context: Pick<RecycleBinContext, "perform" | "slot">,
  id: number,
  viewer: Viewer,
): Promise<number | undefined> {
  try {
    return await purgeEntry(context, id, viewer);
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return undefined;
    throw error;
  }
}

/** Whether there are expired entries that can be removed. */
export async function hasExpired(
  context: Pick<RecycleBinContext, "slot">,
  db: Executor,
  days: number,
): Promise<boolean> {
  return (await anyExpired.executeTakeFirst(db, { days, kinds: kindNames(context) })) !== undefined;
}
