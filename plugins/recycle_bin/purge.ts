/**
 * How the bin empties itself (platform 7.5): entries beyond their lifetime go one by one, each in a transaction of its
 * own, so that a purge holds no lock for long and one entry that cannot go keeps no other from going. It runs by the
 * hour, and after a delete that finds entries due.
 */
import { ApiError, type PluginContext, SYSTEM, sql, type Work } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Emptied, NamedDeletion } from "./contract.ts";
import { lockEntry } from "./entries.ts";

const BATCH = 100;

/** What purging needs of the house. */
export interface PurgeParts extends Pick<PluginContext, "log" | "perform" | "slot"> {
  readonly db: Pick<Db, "executeQuery">;
  /** Removes an entry's item for good, and answers how many items that were. */
  remove(entry: NamedDeletion, work: Work): Promise<number>;
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

/** Removes one entry for good; nothing is done where somebody restored or destroyed it meanwhile. */
export async function purgeEntry({ perform, remove, slot }: PurgeParts, id: number): Promise<void> {
  try {
    await perform("recycle_bin_purge", SYSTEM, { id } as NamedDeletion, async (draft, work): Promise<Emptied> => {
      const entry = await lockEntry(slot("content"), draft.id, work);
      return { ...entry, count: await remove(entry, work) };
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}

/** Whether entries wait to be purged. */
export async function hasDue(db: Pick<Db, "executeQuery">, days: number): Promise<boolean> {
  return (await rows(db, sql`select from deletions where ${isDue(days)} limit 1`)).length > 0;
}

function isDue(days: number) {
  return sql`created_at < now() - make_interval(days => ${days}::integer)`;
}
