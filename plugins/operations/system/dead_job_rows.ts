/** Retries and drops jobs that failed in all of their attempts ("dead" jobs). */
import { type RawBuilder, sql } from "lectern/core";
import { refs } from "lectern/db";
import type { SystemContext } from "./contract.ts";

/** The dead jobs with these ids, as texts; all without ids. */
export type DeadJobIds = readonly string[] | undefined;

/**
 * Makes dead jobs due now, with all their tries. Those of which one with the same name and key waits already are left out.
 * Returns how many there were.
 */
export async function retryJobs(db: SystemContext["db"], ids: DeadJobIds): Promise<number> {
  const retried = await db
    .updateTable("jobs")
    .set({ dead: false, attempts: 0, run_at: sql<string>`now()`, leased_until: null })
    .where(areDead(ids))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("jobs as other")
            .whereRef("other.name", "=", "jobs.name")
            .whereRef("other.key", "=", "jobs.key")
            .where((other) => other.not(other.ref("other.dead")))
            .where("other.attempts", "=", 0),
        ),
      ),
    )
    .returning("id")
    .execute();
  return retried.length;
}

/** Deletes dead jobs without running them. Returns how many there were. */
export async function dropJobs(db: SystemContext["db"], ids: DeadJobIds): Promise<number> {
  return (await db.deleteFrom("jobs").where(areDead(ids)).returning("id").execute()).length;
}

function areDead(ids: DeadJobIds): RawBuilder<boolean> {
  const dead = refs("jobs.dead");
  if (ids === undefined) return sql<boolean>`${dead}`;
  return sql<boolean>`(${dead} and ${refs("jobs.id")}::text = any(${[...ids]}::text[]))`;
}
