/**
 * How the bin empties itself (platform 7.5): entries beyond their lifetime go one by one, each in a transaction of its
 * own, so that a purge holds no lock for long and one entry that cannot go keeps no other from going. It runs by the
 * hour, and after a delete that finds entries due.
 */
import { ApiError, type EventTransaction, type PluginContext, SYSTEM, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Emptied, NamedDeletion } from "./contract.ts";
import { lockEntry } from "./entries.ts";

const BATCH = 100;

/** What purging needs of the runtime. */
export interface PurgeParts extends Pick<PluginContext, "log" | "perform" | "slot"> {
  readonly db: Pick<Db, "executeQuery">;
  /** Removes an entry's item for good, and answers how many items that were. */
  remove(entry: NamedDeletion, tx: EventTransaction): Promise<number>;
}

/**
 * Removes what has lain in the bin for so many days, nothing where that is negative. Whatever cannot go is logged and
 * stays until the next time.
 */
export async function purge(parts: PurgeParts, days: number): Promise<void> {
  // A job may have waited since before the operator said "never".
  if (days < 0) return;
  for (let last = 0; ; ) {
    const due = await rows<{ id: number }>(
      parts.db,
      sql`select id from deletions where id > ${last}::integer and ${isDue(days)} order by id limit ${BATCH}`,
    );
    for (const { id } of due) {
      last = id;
      await purgeEntry(parts, id).catch((error: unknown) =>
        parts.log.error("Cannot purge an entry of the recycle bin", { entry: id, error }),
      );
    }
    if (due.length < BATCH) return;
  }
}

/**
 * Removes one entry for good, and answers how many items that were: none where somebody restored or destroyed it
 * meanwhile, or where it went with an item that went before.
 */
export async function purgeEntry(
  { perform, remove, slot }: Omit<PurgeParts, "db" | "log">,
  id: number,
  viewer: Viewer = SYSTEM,
): Promise<number> {
  try {
    const draft = { id } as NamedDeletion;
    const { count } = await perform("recycle_bin_purge", viewer, draft, async (final, tx): Promise<Emptied> => {
      const entry = await lockEntry(slot("content"), final.id, tx);
      return { ...entry, count: await remove(entry, tx) };
    });
    return count;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 0;
    throw error;
  }
}

/** Whether entries wait to be purged. */
export async function hasDue(db: Pick<Db, "executeQuery">, days: number): Promise<boolean> {
  return (await rows(db, sql`select from deletions where ${isDue(days)} limit 1`)).length > 0;
}

function isDue(days: number) {
  return sql`created_at < now() - make_interval(days => ${days}::integer)`;
}
