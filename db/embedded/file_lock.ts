/**
 * Locks between processes that the kernel releases when a process dies: file locks of SQLite, which is part of Bun (Bun has
 * no flock). Nothing is written to the file. Network file systems may not support such locks; PostgreSQL's data does not
 * belong there either.
 */
import { Database } from "bun:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../query/errors.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";

const RETRY_MS = 20;

/** Releases a lock; a second call does nothing. */
export type Unlock = () => void;

/** Takes an exclusive or shared lock; undefined where another process holds a conflicting one. Throws StoreError where it cannot. */
export function tryLock(path: string, mode: "exclusive" | "shared"): Unlock | undefined {
  let file: Database | undefined;
  try {
    file = new Database(path);
    // An exclusive lock begins a journal, for which a full disk has no room.
    file.exec("pragma busy_timeout = 0; pragma journal_mode = memory");
    file.exec(mode === "exclusive" ? "begin exclusive" : "begin; select count(*) from sqlite_master");
    const held = file;
    return () => held.close();
  } catch (cause) {
    file?.close();
    const [code, message] = [codeOf(cause), messageOf(cause)];
    if (code === "SQLITE_BUSY") return undefined;
    throw new StoreError(`Cannot lock "${path}": ${message}${code === "" ? "" : ` (${code})`}`, { cause });
  }
}

/** Waits up to `waitMs` milliseconds for a lock. Throws StoreError where it stays taken. */
export async function lock(path: string, mode: "exclusive" | "shared", waitMs: number): Promise<Unlock> {
  for (const until = performance.now() + waitMs; ; ) {
    const unlock = tryLock(path, mode);
    if (unlock) return unlock;
    if (performance.now() > until) {
      throw new StoreError(`Cannot lock "${path}": another process held it for ${waitMs} ms, wanted it free`);
    }
    await sleep(RETRY_MS);
  }
}
