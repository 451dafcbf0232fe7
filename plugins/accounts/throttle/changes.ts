import type { Allowed } from "lectern/contracts";
import { ApiError, sha256, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

const count = prepared("throttle.count", (db, p: { hash: string; seconds: number }) =>
  db
    .insertInto("throttles")
    .values({ key_hash: p.hash, count: sql.lit(1), ends_at: sql`now() + make_interval(secs => ${p.seconds}::integer)` })
    .onConflict((conflict) =>
      conflict.column("key_hash").doUpdateSet(({ ref }) => {
        const hasEnded = sql<boolean>`${ref("throttles.ends_at")} <= now()`;
        return {
          count: sql<number>`case when ${hasEnded} then 1 else ${ref("throttles.count")} + 1 end`,
          ends_at: sql<string>`case when ${hasEnded} then ${ref("excluded.ends_at")} else ${ref("throttles.ends_at")} end`,
        };
      }),
    )
    .returning("count")
    .returning(({ ref }) =>
      sql<number>`greatest(1, ceil(extract(epoch from ${ref("ends_at")} - now())))::integer`.as("wait"),
    ),
);

const reset = prepared("throttle.reset", (db, p: { hash: string }) =>
  db.deleteFrom("throttles").where("key_hash", "=", p.hash),
);

/**
 * Counts an attempt, in a single statement outside of any transaction of the caller, so that the count remains if that is
 * rolled back. Throws 429 with Retry-After if there were too many.
 */
export async function take(db: Executor, limit: Allowed, key: string): Promise<void> {
  const window = await count.executeTakeFirst(db, { hash: hashOf(limit, key), seconds: limit.seconds });
  if (window && window.count > limit.attempts)
    throw new ApiError(429, "Too Many Attempts.", { headers: { "retry-after": String(window.wait) } });
}

/** Resets the count of a key. */
export async function forgive(db: Executor, limit: Allowed, key: string): Promise<void> {
  await reset.execute(db, { hash: hashOf(limit, key) });
}

function hashOf({ name }: Allowed, key: string): string {
  return sha256(`${name}\n${key}`);
}
