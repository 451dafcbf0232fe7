import { LastUsedBatch, type Log } from "lectern/core";
import type { Db } from "lectern/db";

/** When sessions were last seen. */
export type SessionsSeen = LastUsedBatch<"seen">;

/** Collects for 20 seconds at a time when sessions were seen, so that they slide without a write for each request. */
export function sessionsSeen(db: Pick<Db, "executeQuery">, log: Log): SessionsSeen {
  return new LastUsedBatch({
    db,
    log,
    table: "sessions",
    subject: "sessions",
    columns: { seen: { at: "last_seen_at" } },
    flushMs: 20_000,
  });
}
