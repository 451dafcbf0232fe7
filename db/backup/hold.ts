/**
 * Files outlive a backup that needs them: a backup holds an advisory lock while it copies files, and a file is only removed under
 * the same lock, shared. Locks are of the database, so this works between processes and machines, and a dead process holds none.
 */
import { sql } from "kysely";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";

/** The key of the advisory lock; it must never change, since processes of different versions share it. */
export const FILES_LOCK = 7_206_417;

/**
 * Removes stored files unless a backup copies files now. Resolves to whether `remove` ran; the backup waits for one that runs.
 * @example
 * const isRemoved = await unlessHeld(db, async () => void (await Bun.file("notes/1.pdf").delete()));
 */
export async function unlessHeld(db: Db, remove: () => Promise<void>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // A template: functions of locks are no tables.
    const [lock] = await rows(
      tx,
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock_shared(${FILES_LOCK}::int8) as taken`,
    );
    if (!lock?.taken) return false;
    await remove();
    return true;
  });
}
