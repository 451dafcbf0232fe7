/**
 * Keeps removed files while a backup copies files: the rows of its moment refer to them. A removal that has to wait is repeated in
 * this process; if the process ends before, the file stays without a row, and `files sweep` deletes it.
 */
import { type Db, unlessHeld } from "../../db/mod.ts";
import type { Log } from "../log.ts";
import type { FileStore } from "./file_store.ts";

const RETRY_MS = 5_000;

/** A file store whose removals wait for backups. */
export interface HeldFiles {
  readonly files: FileStore;
  /** Ends the waiting; removals that still wait are left to a sweep. */
  stop(): void;
}

/** Wraps a file store. `db` is the store whose rows refer to its files. */
export function heldFiles(files: FileStore, db: Db, log: Log, retryMs = RETRY_MS): HeldFiles {
  const waiting = new Set<string>();
  let timer: Timer | undefined;
  const retry = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void removeWaiting()
        .catch((error: unknown) => log.warn("Cannot remove files that a backup held", { error }))
        .then(() => waiting.size > 0 && retry());
    }, retryMs).unref();
  };
  async function removeWaiting(): Promise<void> {
    for (const key of waiting) {
      // A file that was stored again under its key meanwhile is in use.
      if (!(await unlessHeld(db, () => (waiting.has(key) ? files.remove(key) : Promise.resolve())))) return;
      waiting.delete(key);
    }
  }
  return {
    files: {
      put(key, content) {
        waiting.delete(key);
        return files.put(key, content);
      },
      get: (key) => files.get(key),
      list: (prefix) => files.list(prefix),
      get unfinished() {
        return files.unfinished;
      },
      async remove(key) {
        if (await unlessHeld(db, () => files.remove(key))) return;
        waiting.add(key);
        retry();
      },
    },
    stop: () => clearTimeout(timer),
  };
}
