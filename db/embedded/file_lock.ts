/**
 * Locks between processes that a killed process cannot leave behind: the kernel's own file locks, reached through
 * SQLite, which Bun brings along (Bun has no flock). Nothing is ever written to the file. Do not put it on a network
 * file system, where such locks may be fictions; PostgreSQL's data has no business there either.
 */
import { Database } from "bun:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../query/errors.ts";

const RETRY_MS = 20;

/** Lets go of a lock; a second call does nothing. */
export type Unlock = () => void;

/** Takes the lock at once, alone or together with other sharers; undefined when somebody stands in the way. */
export function tryLock(path: string, mode: "alone" | "shared"): Unlock | undefined {
  const file = new Database(path);
  try {
    file.exec("pragma busy_timeout = 0");
    file.exec(mode === "alone" ? "begin exclusive" : "begin; select count(*) from sqlite_master");
    return () => file.close();
  } catch (error) {
    file.close();
    if ((error as { code?: string }).code === "SQLITE_BUSY") return undefined;
    throw error;
  }
}

/** Waits up to `waitMs` for the lock. Throws StoreError when it stays taken. */
export async function lock(path: string, mode: "alone" | "shared", waitMs: number): Promise<Unlock> {
  for (const until = performance.now() + waitMs; ; ) {
    const unlock = tryLock(path, mode);
    if (unlock) return unlock;
    if (performance.now() > until) {
      throw new StoreError(`Cannot lock "${path}": another process held it for ${waitMs} ms, wanted it free`);
    }
    await sleep(RETRY_MS);
  }
}
