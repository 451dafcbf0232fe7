import type { Allowed } from "lectern/contracts";
import { ApiError, sha256, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/**
 * Counts an attempt, in one statement and no transaction of the caller's, so that it stands whatever comes of it.
 * Throws 429 where there were too many.
 */
export async function take(db: Pick<Db, "executeQuery">, limit: Allowed, key: string): Promise<void> {
  const [window] = await rows(
    db,
    sql<{ count: number; wait: number }>`insert into throttles as held (key_hash, count, ends_at)
      values (${hashOf(limit, key)}, 1, now() + make_interval(secs => ${limit.seconds}::integer))
      on conflict (key_hash) do update set
        count = case when held.ends_at <= now() then 1 else held.count + 1 end,
        ends_at = case when held.ends_at <= now() then excluded.ends_at else held.ends_at end
      returning count, greatest(1, ceil(extract(epoch from ends_at - now())))::integer as wait`,
  );
  if (window && window.count > limit.attempts)
    throw new ApiError(429, "Too Many Attempts.", { headers: { "retry-after": String(window.wait) } });
}

/** Forgets the attempts of a key. */
export async function forgive(db: Pick<Db, "executeQuery">, limit: Allowed, key: string): Promise<void> {
  await rows(db, sql`delete from throttles where key_hash = ${hashOf(limit, key)}`);
}

function hashOf({ name }: Allowed, key: string): string {
  return sha256(`${name}\n${key}`);
}
