import { LastUsedBatch, type Log } from "lectern/core";
import type { Db } from "lectern/db";

/** The last use of keys with its address, and the last rejection with its reason. */
export type KeysUsed = LastUsedBatch<"used" | "refused">;

/** Collects uses and rejections, and writes them once a second (dashboard-stats 3.5). */
export function keysUsed(db: Pick<Db, "executeQuery">, log: Log): KeysUsed {
  return new LastUsedBatch({
    db,
    log,
    table: "dash_keys",
    subject: "keys",
    columns: {
      used: { at: "last_used_at", detail: "last_used_ip" },
      refused: { at: "last_refused_at", detail: "last_refused_reason" },
    },
    flushMs: 1_000,
  });
}
