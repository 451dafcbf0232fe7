import { LastUsedBatch, type Log } from "lectern/core";
import type { Db } from "lectern/db";
import type { ApiTokensTable } from "./contract.ts";

/** The batch of last uses of tokens. */
export type TokensUsed = LastUsedBatch<"used">;

/** Collects uses of tokens and writes them every 30 seconds. */
export function tokensUsed(db: Pick<Db, "executeQuery">, log: Log): TokensUsed {
  return new LastUsedBatch({
    db,
    log,
    table: "api_tokens",
    subject: "tokens",
    columns: { used: { at: "last_used_at" satisfies keyof ApiTokensTable } },
    flushMs: 30_000,
  });
}
