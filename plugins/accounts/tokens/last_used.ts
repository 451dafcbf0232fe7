import { LastUsedBatch, type Log } from "lectern/core";
import type { Db } from "lectern/db";

/** When tokens were last used. */
export type TokensUsed = LastUsedBatch<"used">;

/** Collects uses of tokens for 30 seconds at a time. */
export function tokensUsed(db: Pick<Db, "executeQuery">, log: Log): TokensUsed {
  return new LastUsedBatch({
    db,
    log,
    table: "api_tokens",
    subject: "tokens",
    columns: { used: { at: "last_used_at" } },
    flushMs: 30_000,
  });
}
