import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin, Semaphore, sql } from "lectern/core";
import { StoreUnavailable } from "lectern/db";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);
const runtimes: TestRuntime[] = [];
afterAll(async () => {
  for (const runtime of runtimes) await runtime.stop();
});

async function booted(env: Record<string, string> = {}, extra: Parameters<typeof definePlugin>[0][] = []) {
  const runtime = await bootTestRuntime({ env, extra: extra.map((spec) => definePlugin(spec)) });
  runtimes.push(runtime);
  return runtime;
}

test("probes need no credentials, and readiness begins with the jobs of a server", async () => {
  const { ask, runtime } = await booted();
  const health = await ask("GET", "/health", { as: null });
  expect([health.status, health.body, health.headers.get("cache-control")]).toEqual([
    200,
    { status: "pass" },
    "no-cache, no-store, private",
  ]);
  expect((await ask("GET", "/ready", { as: null })).status).toBe(503);
  await runtime.start();
  const ready = await ask("GET", "/ready", { as: null });
  expect([ready.status, ready.body]).toEqual([200, { status: "pass" }]);
  expect((await ask("POST", "/health", { as: null })).status).toBe(405);
});

test("probes are not counted against the limit of an address", async () => {
  const { ask } = await booted({ API_REQUESTS_PER_MIN: "3" });
  const seen = new Set<number>();
  for (let n = 0; n < 10; n++) seen.add((await ask("GET", "/health", { as: null })).status);
  expect([...seen]).toEqual([200]);
});

test("metrics are closed until a token or addresses are set, and then ask for it", async () => {
  const closed = await booted();
  expect((await closed.ask("GET", "/metrics", { as: null })).status).toBe(404);
  const { ask } = await booted({ METRICS_TOKEN: "a-secret" });
  const asking = (authorization: string) => ask("GET", "/metrics", { as: null, headers: { authorization } });
  expect((await ask("GET", "/metrics", { as: null })).status).toBe(401);
  expect((await asking("Bearer another")).status).toBe(401);
  const { body, headers, status } = await asking("Bearer a-secret");
  expect([status, headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain; version=0.0.4")]);
  for (const name of [
    "process_cpu_seconds_total",
    "lectern_store_waiting",
    "lectern_store_busy",
    "lectern_store_connections",
    "lectern_store_bytes",
    "lectern_wait_seconds",
    "lectern_event_loop_lag_seconds",
    "lectern_http_requests_total",
    "lectern_http_request_seconds",
    "lectern_includes_cache_bytes",
    "lectern_answer_cache_hits_total",
    "lectern_answer_cache_misses_total",
    "lectern_answer_cache_evictions_total",
    "lectern_answer_cache_forgotten_total",
    "lectern_answer_cache_bytes",
    "lectern_answer_cache_entries",
    "lectern_notice_age_seconds",
    "lectern_webhook_deliveries",
    "lectern_jobs",
  ])
    expect(body).toContain(`# TYPE ${name} `);
});

test("a server is not ready over a store that lacks migrations, as after an older backup was restored", async () => {
  const { ask, runtime, store } = await booted();
  await runtime.start();
  const ready = async () => (await ask("GET", "/ready", { as: null })).status;
  expect(await ready()).toBe(200);
  const [row] =
    await store.sql`delete from lectern_ledger.books where name = (select max(name) from lectern_ledger.books)
    returning name, applied_at`;
  expect(await ready()).toBe(503);
  await store.sql`insert into lectern_ledger.books ${store.sql(row as Record<string, string>)}`;
  expect(await ready()).toBe(200);
  await store.sql`alter table lectern_ledger.books rename to books_away`;
  expect(await ready()).toBe(503);
  await store.sql`alter table lectern_ledger.books_away rename to books`;
});

test("waits for connections and for named permits are a histogram", async () => {
  const { ask, db } = await booted({ METRICS_TOKEN: "a-secret" });
  const semaphore = new Semaphore({ name: "test_permits", permits: 1 });
  await Promise.all([semaphore.run(() => Bun.sleep(30)), semaphore.run(async () => {})]);
  const long = () => db.transaction().execute((tx) => sql`select pg_sleep(0.05)`.execute(tx));
  await Promise.all(Array.from({ length: 8 }, long));
  const { body } = await ask("GET", "/metrics", { as: null, headers: { authorization: "Bearer a-secret" } });
  expect(body).toMatch(/^lectern_wait_seconds_count\{for="test_permits"\} 1$/m);
  expect(body).toMatch(/^lectern_wait_seconds_bucket\{le="0.005",for="test_permits"\} 0$/m);
  expect(Number(/^lectern_wait_seconds_count\{for="store_transactions"\} (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(3);
});

test("a metric of a plugin is shown, and one that throws leaves out its own figures alone", async () => {
  const metric = { help: "About the test.", type: "gauge" } as const;
  const { ask } = await booted({ METRICS_TOKEN: "a-secret" }, [
    {
      name: "measured",
      setup({ contribute }) {
        contribute("metric", {
          ...{ ...metric, name: "measured_notes", labels: ["kind"] },
          read: () => [{ labels: { kind: 'a"b' }, value: 7 }],
        });
        contribute("metric", {
          ...{ ...metric, name: "measured_broken" },
          read: () => {
            throw new Error("not today");
          },
        });
      },
    },
  ]);
  const { body, status } = await ask("GET", "/metrics", {
    as: null,
    headers: { authorization: "Bearer a-secret" },
  });
  expect(status).toBe(200);
  expect(body).toContain('measured_notes{kind="a\\"b"} 7');
  expect(body).not.toMatch(/^measured_broken [1-9]/m);
});

test("metrics answer while the store does not, without its figures", async () => {
  const { ask } = await booted({ METRICS_TOKEN: "a-secret" }, [
    {
      name: "stored",
      setup({ contribute }) {
        contribute("metric", {
          ...{ name: "stored_notes", help: "Notes.", type: "gauge" },
          read: () => Promise.reject(new StoreUnavailable("The database is not available")),
        });
      },
    },
  ]);
  const { body, status } = await ask("GET", "/metrics", { as: null, headers: { authorization: "Bearer a-secret" } });
  expect(status).toBe(200);
  expect(body).toContain("process_cpu_seconds_total");
  expect(body).not.toMatch(/^stored_notes [0-9]/m);
});

test("a server counts requests by route, opens metrics to addresses, and logs requests where that is set", async () => {
  const data = dataFolder("ready");
  const server: Program = await startProgram(data.path, { METRICS_ADDRESSES: "127.0.0.0/8", LOG_REQUESTS: "true" });
  try {
    const base = `http://127.0.0.1:${server.port}`;
    await server.ask("GET", "/api/books/17");
    await server.ask("GET", "/api/books/18");
    expect((await fetch(`${base}/ready`)).status).toBe(200);
    const text = await (await fetch(`${base}/metrics`)).text();
    expect(text).toContain('lectern_http_requests_total{method="GET",route="/api/books/:id",status="404"} 2');
    expect(text).toMatch(/lectern_http_request_seconds_count\{method="GET",route="\/api\/books\/:id"\} 2/);
    const lines = server
      .output()
      .split("\n")
      .filter((line) => line.includes('"message":"request"'));
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({
      level: "info",
      method: "GET",
      path: "/api/books/17",
      status: 404,
    });
  } finally {
    server.signal("SIGTERM");
    await server.ended;
    data.remove();
  }
});
