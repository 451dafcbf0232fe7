/** A store that does not answer: dashboards get an error in time, and nobody else has to wait (dashboard-stats 9.4). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { raw, sampleHosts, type TestKey } from "../support/data/sample_hosts.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const STATS = "/api/v1/dashboard/stats";
const HEALTH = "/api/v1/dashboard/health";
const UNAVAILABLE = [503, { error: "Service temporarily unavailable" }, "5"];
/** A little more than the two seconds that an answer may take. */
const IN_TIME_MS = 2_600;
/** Connections for single statements. */
const POOL = 3;

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
let board: TestKey;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { DASHBOARD_RATE_LIMIT_MAX: "0" } });
  dashboard = sampleHosts(runtime);
  board = await dashboard.key();
  await dashboard.read(board);
}, 120_000);
afterAll(() => runtime.stop());

/** Holds a table against every reader while `run` goes on. */
async function withLocked<T>(table: string, run: () => Promise<T>): Promise<T> {
  const done = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = runtime.store.db.transaction().execute(async (tx) => {
    await tx.executeQuery({ sql: `lock table ${table} in access exclusive mode`, parameters: [] } as never);
    held.resolve();
    await done.promise;
  });
  await held.promise;
  try {
    return await run();
  } finally {
    done.resolve();
    await holding;
  }
}

async function timed<T>(run: Promise<T>): Promise<[T, ms: number]> {
  const started = performance.now();
  const answer = await run;
  return [answer, performance.now() - started];
}

const summary = ({ status, body, headers }: Awaited<ReturnType<typeof raw>>) => [
  status,
  body,
  headers.get("retry-after"),
];

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await runtime.store.queryWithDeadline(
    sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.n ?? 0;
}

test("numbers that cannot be read in time are an error, a single statement waits for them, and content is served", async () => {
  await withLocked("host_totals", async () => {
    const polls = Array.from({ length: 20 }, () => timed(dashboard.read(board)));
    await until(waiting, (n) => n === 1);
    polls.push(...Array.from({ length: 20 }, () => timed(dashboard.read(board, STATS, { "if-none-match": '"x"' }))));
    await Bun.sleep(100);
    expect(await waiting()).toBe(1);
    for (let n = 0; n < 20; n++) {
      const [{ status }, ms] = await timed(runtime.ask("GET", "/api/books"));
      expect([status, ms < scaled(500)]).toEqual([200, true]);
    }
    for (const [{ status, body }, ms] of await Promise.all(polls)) {
      expect([status, body]).toEqual([500, { error: "Failed to fetch statistics" }]);
      expect(ms).toBeLessThan(scaled(IN_TIME_MS));
    }
    await until(waiting, (n) => n === 0, 10_000);
  });
  expect((await dashboard.read(board)).status).toBe(200);
}, 120_000);

test("a key that cannot be read in time is answered 503 and not 401", async () => {
  const fresh = await dashboard.key();
  await withLocked("dash_keys", async () => {
    const [answer, ms] = await timed(raw(runtime, "GET", HEALTH, fresh.headers));
    expect(summary(answer)).toEqual(UNAVAILABLE);
    expect(ms).toBeLessThan(scaled(IN_TIME_MS));
  });
  expect((await raw(runtime, "GET", HEALTH, fresh.headers)).status).toBe(200);
}, 120_000);

test("a cached key works, and its health check fails while the store does not answer", async () => {
  expect((await dashboard.read(board, HEALTH)).status).toBe(200);
  await withLocked("rate_windows", async () => {
    const stuck: Promise<unknown>[] = [];
    while ((await waiting()) < POOL) {
      stuck.push(rows(runtime.db, sql`select count(*) from rate_windows`));
      await Bun.sleep(20);
    }
    for (const path of [HEALTH, "/api/v1/gethomepage/health"]) {
      const [answer, ms] = await timed(dashboard.read(board, path));
      expect(summary(answer)).toEqual(UNAVAILABLE);
      expect(ms).toBeLessThan(scaled(IN_TIME_MS));
    }
    void Promise.all(stuck);
  });
  expect((await dashboard.read(board, HEALTH)).status).toBe(200);
}, 120_000);

test("a shared limit that cannot be counted keeps no request waiting", async () => {
  const other = await bootTestRuntime({ env: { RATE_LIMITS_SHARED: "true" } });
  const key = await sampleHosts(other).key();
  expect((await raw(other, "GET", STATS, key.headers)).status).toBe(200);
  await other.store.sql`alter table rate_windows rename to elsewhere`;
  expect(summary(await raw(other, "GET", STATS, key.headers))).toEqual(UNAVAILABLE);
  await other.store.sql`alter table elsewhere rename to rate_windows`;
  await other.stop();
}, 120_000);
