/**
 * Rate limits in fixed windows. Counts are in the memory of this process, or in the store: that takes one write per request
 * and holds for any number of servers on one database.
 */
import { sql } from "kysely";
import { type Db, type Migrations, outsideTransaction, prepared } from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { ExpiringMap, MAX_KEYS } from "../std/expiring_map.ts";
import { MINUTE_MS, SECOND_MS } from "../std/time.ts";
import { sharedLimiter } from "./shared_limiter.ts";

/** The state of a key in its window, after a request. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds at which the window ends. */
  readonly resetsAt: number;
  readonly exceeded: boolean;
}

/** Counts requests by key, or amounts of something else. The first request of a key opens its window (platform 1.6). */
export interface Limiter {
  /** Counts 1, or a whole amount. */
  take(key: string, amount?: number): Allowance | Promise<Allowance>;
}

/** A limiter in memory: `limit` requests per key in `windowMs` milliseconds. The least recently seen keys beyond `maxKeys` are dropped. */
export function memoryLimiter(limit: number, windowMs = MINUTE_MS, now: () => number = Date.now, maxKeys = MAX_KEYS) {
  const windows = new ExpiringMap<{ count: number; readonly endsAt: number }>(windowMs, maxKeys, now);
  return {
    take(key: string, amount = 1): Allowance {
      let window = windows.get(key);
      if (!window) {
        window = { count: 0, endsAt: now() + windowMs };
        windows.set(key, window);
      }
      window.count += amount;
      return allowance(limit, window.count, window.endsAt / SECOND_MS);
    },
  };
}

/** The table of windows that servers share. It is unlogged: a crash of the store loses the counts. */
export const limitMigrations: Migrations = {
  async "0002_rate_windows"(db) {
    await sql`create unlogged table rate_windows (
      key text primary key, count integer not null, ends_at timestamptz not null)`.execute(db);
    await sql`create index rate_windows_ended on rate_windows (ends_at)`.execute(db);
  },
};

/** Ended windows that one request removes at most. */
const SWEEP_ROWS = 100;

/** Requests by limiter and key in the current window. */
export interface RateWindowsTable {
  key: string;
  count: number;
  ends_at: string;
}

declare module "../../db/query/tables.ts" {
  interface Tables {
    rate_windows: RateWindowsTable;
  }
}

const takeWindow = prepared("limits.take", (db, p: { key: string; amount: number; seconds: number }) =>
  db
    .insertInto("rate_windows")
    .values({
      key: p.key,
      count: p.amount,
      ends_at: sql<string>`now() + ${p.seconds}::float8 * interval '1 second'`,
    })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet(({ ref }) => {
        const [count, end] = [ref("rate_windows.count"), ref("rate_windows.ends_at")];
        return {
          count: sql<number>`case when ${end} <= now() then ${ref("excluded.count")} else ${count} + ${ref("excluded.count")} end`,
          ends_at: sql<string>`case when ${end} <= now() then ${ref("excluded.ends_at")} else ${end} end`,
        };
      }),
    )
    .returning(({ ref }) => [
      "count" as const,
      sql<number>`extract(epoch from ${ref("ends_at")})::float8`.as("ends_at"),
    ]),
);

/** Locked rows are being counted; the next sweep removes them. */
const removeEnded = prepared("limits.removeEnded", (db) =>
  db
    .deleteFrom("rate_windows")
    .where("key", "in", (eb) =>
      eb
        .selectFrom("rate_windows")
        .select("key")
        .where("ends_at", "<=", sql<string>`now()`)
        .limit(sql.lit(SWEEP_ROWS))
        .forUpdate()
        .skipLocked(),
    )
    .returning("key"),
);

/** A limiter in the store, shared by all processes that create one of this name. */
export function storeLimiter(db: Db, name: string, limit: number, windowMs = MINUTE_MS): Limiter {
  let sweepAt = 0;
  const sweep = async () => {
    sweepAt = Date.now() + windowMs;
    const removed = await removeEnded.execute(db, {});
    if (removed.length === SWEEP_ROWS) sweepAt = 0;
  };
  return {
    async take(key, amount = 1) {
      const counted = { key: `${name} ${key}`, amount, seconds: windowMs / SECOND_MS };
      // A rollback takes nothing back, and nobody waits for the end of a transaction to be counted.
      const window = await outsideTransaction(() => takeWindow.executeTakeFirst(db, counted));
      if (!window) throw new Error("Cannot count a request: the store returned no row");
      if (Date.now() >= sweepAt) await outsideTransaction(sweep);
      return allowance(limit, window.count, window.ends_at);
    },
  };
}

/** Creates a limiter as configured. Each name has its own counts; `windowMs` is a minute by default. */
export type MakeLimiter = (name: string, limit: number, windowMs?: number) => Limiter;

/** Limiters in the store if servers share them, else in memory, which the workers of one server share. */
export function limiterOf(db: Db, config: Pick<Config, "sharesLimits" | "maxLimitKeys" | "worker">): MakeLimiter {
  const { sharesLimits, maxLimitKeys: maxKeys, worker } = config;
  return (name, limit, windowMs = MINUTE_MS) => {
    if (sharesLimits) return storeLimiter(db, name, limit, windowMs);
    if (worker) return sharedLimiter({ folder: worker.folder, name, limit, windowMs, maxKeys });
    return memoryLimiter(limit, windowMs, Date.now, maxKeys);
  };
}

/** The state of a window of which `count` are taken and which ends at `endsAt`, in Unix seconds. */
export function allowance(limit: number, count: number, endsAt: number): Allowance {
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetsAt: Math.ceil(endsAt),
    exceeded: count > limit,
  };
}
