import { LastUsedBatch, type Log } from "lectern/core";
import type { Db } from "lectern/db";
import type { SessionsTable } from "./contract.ts";

/** The batch of times at which sessions were last seen. */
export type SessionsSeen = LastUsedBatch<"seen">;

/** Collects the times of requests with sessions and writes them every 20 seconds, so that no request writes. */
export function sessionsSeen(db: Pick<Db, "executeQuery">, log: Log): SessionsSeen {
  return new LastUsedBatch({
    db,
    log,
    table: "sessions",
    subject: "sessions",
    columns: { seen: { at: "last_seen_at" satisfies keyof SessionsTable } },
    flushMs: 20_000,
  });
}
