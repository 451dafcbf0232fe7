import type { Allowed } from "lectern/contracts";
import { ApiError, sha256, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/**
 * Counts an attempt, in a single statement outside of any transaction of the caller, so that the count remains if that is
 * rolled back. Throws 429 with Retry-After if there were too many.
 */
export async function take(db: Pick<Db, "executeQuery">, limit: Allowed, key: string): Promise<void> {
  const [window] = await rows(
    db,
    sql<{ count: number; wait: number }>`insert into throttles as known (key_hash, count, ends_at)
      values (${hashOf(limit, key)}, 1, now() + make_interval(secs => ${limit.seconds}::integer))
      on conflict (key_hash) do update set
        count = case when known.ends_at <= now() then 1 else known.count + 1 end,
        ends_at = case when known.ends_at <= now() then excluded.ends_at else known.ends_at end
      returning count, greatest(1, ceil(extract(epoch from ends_at - now())))::integer as wait`,
  );
  if (window && window.count > limit.attempts)
    throw new ApiError(429, "Too Many Attempts.", { headers: { "retry-after": String(window.wait) } });
}

/** Resets the count of a key. */
export async function forgive(db: Pick<Db, "executeQuery">, limit: Allowed, key: string): Promise<void> {
  await rows(db, sql`delete from throttles where key_hash = ${hashOf(limit, key)}`);
}

function hashOf({ name }: Allowed, key: string): string {
  return sha256(`${name}\n${key}`);
}
