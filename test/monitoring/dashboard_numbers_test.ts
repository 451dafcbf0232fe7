/** What dashboards read, and how often they may (dashboard-stats 1, 2, 4 and 7). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { deactivateStale } from "../../plugins/monitoring/hosts/schedules.ts";
import { installed, raw, sampleHosts, type TestKey } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const STATS = "/api/v1/dashboard/stats";
const ORIGIN = "https://board.example.com";
const NO_SYSTEMS = { top_os_1_name: "None", top_os_2_name: "None", top_os_3_name: "None" };
const NO_COUNTS = { top_os_1_count: 0, top_os_2_count: 0, top_os_3_count: 0 };

const figures = definePlugin({
  name: "figures",
  setup({ contribute }) {
    contribute("dashboard_figure", { name: "pages_written", about: "Pages written", read: async () => 7 });
    contribute("dashboard_figure", {
      name: "broken",
      about: "Never there",
      read: () => Promise.reject(new Error("away")),
    });
  },
});

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
let board: TestKey;
beforeAll(async () => {
  runtime = await bootTestRuntime({
    env: { DASHBOARD_CORS_ORIGINS: ORIGIN, HOSTS_REQUESTS_PER_MIN: "0" },
    extra: [figures],
  });
  dashboard = sampleHosts(runtime);
  board = await dashboard.key();
}, 120_000);
afterAll(() => runtime.stop());

let addresses = 0;
/** Each from another address, so that the limit is met only where it is meant. */
const get = (path = STATS, headers: Record<string, string> = {}, method = "GET") =>
  raw(runtime, method, path, { ...board.headers, ...headers }, undefined, `198.51.100.${addresses++ % 250}`);

test("an empty instance has its sixteen fields, all nothing", async () => {
  const { body } = await get();
  expect(body).toEqual({
    total_hosts: 0,
    hosts_needing_updates: 0,
    up_to_date_hosts: 0,
    security_updates: 0,
    hosts_with_security_updates: 0,
    total_outdated_packages: 0,
    total_repos: 0,
    recent_updates_24h: 0,
    os_distribution: [],
    ...NO_SYSTEMS,
    ...NO_COUNTS,
    last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

test("the same package at three hosts is three outdated packages, and one kind of package", async () => {
  const hosts = [
    await dashboard.host("a"),
    await dashboard.host("b"),
    await dashboard.host("c"),
    await dashboard.host("d"),
  ];
  const systems = ["ubuntu", "Ubuntu", "debian", "alpine"];
  for (const [at, host] of hosts.entries())
    await dashboard.report(host, {
      osType: systems[at],
      packages: [installed("bash", at < 3 ? "old" : ""), installed("openssl", at === 0 ? "risk" : "")],
    });
  expect((await get()).body).toMatchObject({
    total_hosts: 4,
    hosts_needing_updates: 3,
    up_to_date_hosts: 1,
    security_updates: 1,
    hosts_with_security_updates: 1,
    total_outdated_packages: 4,
    recent_updates_24h: 4,
    os_distribution: [
      { name: "Ubuntu", count: 2 },
      { name: "Alpine Linux", count: 1 },
      { name: "Debian", count: 1 },
    ],
    top_os_1_name: "Ubuntu",
    top_os_1_count: 2,
    top_os_2_name: "Alpine Linux",
    top_os_3_name: "Debian",
  });
  expect((await get(`${STATS}/extended`)).body).toMatchObject({
    total_hosts: 4,
    unique_outdated_packages: 2,
    unique_security_packages: 1,
    stale_hosts: 0,
    update_interval_minutes: 60,
    pages_written: 7,
  });
});

test("a host that falls silent is stale, and leaves the numbers only where the operator wants it", async () => {
  const lively = await bootTestRuntime();
  const hosts = sampleHosts(lively);
  const [key, host] = [await hosts.key(), await hosts.host("silent")];
  await hosts.report(host, { packages: [installed("bash", "old")] });
  await lively.store.sql`update hosts set last_seen_at = now() - interval '3 hours'`;
  expect((await hosts.read(key, `${STATS}/extended`)).body).toMatchObject({ total_hosts: 1, stale_hosts: 1 });
  await deactivateStale(lively.db, 240);
  expect((await hosts.read(key)).body.total_hosts).toBe(1);
  await deactivateStale(lively.db, 10);
  expect((await hosts.read(key)).body).toMatchObject({ total_hosts: 0, total_outdated_packages: 0 });
  expect((await hosts.ping(host)).status).toBe(200);
  expect((await hosts.read(key)).body).toMatchObject({ total_hosts: 1, total_outdated_packages: 1 });
  await lively.stop();
}, 120_000);

test("a silent host that is enabled by hand is not disabled again at once", async () => {
  const host = await dashboard.host("again");
  await dashboard.report(host, { packages: [installed("bash")] });
  const { sql } = runtime.store;
  const status = async () => (await sql`select status from hosts where id = ${host.id}`)[0]?.status;
  await sql`update hosts set last_seen_at = now() - interval '3 hours' where id = ${host.id}`;
  await deactivateStale(runtime.db, 60);
  expect(await status()).toBe("inactive");
  await runtime.ask("PATCH", `/api/v1/dashboard/hosts/${host.id}`, { body: { status: "active" } });
  await deactivateStale(runtime.db, 60);
  expect(await status()).toBe("active");
  await runtime.ask("DELETE", `/api/v1/dashboard/hosts/${host.id}`);
});

test("an answer has its tag until a number changes, and is empty for who has it", async () => {
  const first = await get();
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/".+"$/);
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  expect(first.headers.get("vary")).toContain("Authorization");
  expect(first.headers.get("set-cookie")).toBeNull();
  for (const tag of [etag, `"x", ${etag}`, etag.slice(2), "*"]) {
    const again = await get(STATS, { "if-none-match": tag });
    expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, "", etag]);
    expect(again.headers.get("ratelimit-limit")).toBe("100");
  }
  const host = await dashboard.host("new");
  await dashboard.report(host, { packages: [installed("bash")] });
  expect((await get(STATS, { "if-none-match": etag })).status).toBe(200);
  expect((await get(STATS, { "if-none-match": '"other"' })).status).toBe(200);
  const refused = await raw(runtime, "GET", STATS, { "if-none-match": etag }, undefined, "192.0.2.1");
  expect(refused.status).toBe(401);
});

test("only the statistics have a tag, whatever a query says", async () => {
  const query = `?from=/api/v1/dashboard/stats`;
  for (const path of ["/api/v1/dashboard/health", "/api/v1/dashboard/metrics", `${STATS}/extended`]) {
    const { status, body } = await get(path + query, { "if-none-match": "*" });
    expect([path, status, body === ""]).toEqual([path, 200, false]);
  }
  expect((await get(`${STATS}/?refresh=1`, { "if-none-match": "*" })).status).toBe(304);
});

test("statistics say their charset, errors are plain JSON", async () => {
  const typeOf = async (path: string, headers = board.headers) =>
    (await raw(runtime, "GET", path, headers, undefined, "192.0.2.3")).headers.get("content-type");
  for (const path of [STATS, "/api/v1/gethomepage/stats", `${STATS}/extended`])
    expect([path, await typeOf(path)]).toEqual([path, "application/json; charset=utf-8"]);
  expect(await typeOf(STATS, {})).toBe("application/json");
  expect(await typeOf(`${STATS}/nothing`)).toBe("application/json");
});

test("paths of other clients, trailing slashes, HEAD and odd parameters change nothing", async () => {
  const { body } = await get();
  for (const path of ["/api/v1/gethomepage/stats", `${STATS}/`, `${STATS}?refresh=1&count=-5`]) {
    const answer = await get(path);
    expect({ ...answer.body, last_updated: "" }).toEqual({ ...body, last_updated: "" });
  }
  const head = await get(STATS, {}, "HEAD");
  expect([head.status, head.body, head.headers.get("ratelimit-limit")]).toEqual([200, "", "100"]);
  expect((await get("/api/v1/gethomepage/health")).body).toMatchObject({ status: "ok", api_key: "Board" });
  expect(Object.keys((await get("/api/v1/dashboard/health")).body)).toEqual(["status", "timestamp", "api_key"]);
});

test("other methods and paths are refused in the same shape", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const { status, headers, body } = await get(STATS, {}, method);
    expect([status, headers.get("allow"), body]).toEqual([405, "GET, HEAD, OPTIONS", { error: "Method not allowed" }]);
  }
  expect((await get(`${STATS}/nothing`)).body).toEqual({ error: "Route not found" });
  const disguised = await get(STATS, { "x-http-method-override": "DELETE" }, "POST");
  expect(disguised.status).toBe(405);
});

test("pages of named origins may read, and ask first without a key", async () => {
  const ask = (headers: Record<string, string>) => raw(runtime, "OPTIONS", STATS, headers);
  const { status, headers } = await ask({ origin: ORIGIN });
  expect([status, headers.get("access-control-allow-origin")]).toEqual([204, ORIGIN]);
  expect(headers.get("access-control-allow-headers")).toContain("Authorization");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  expect((await ask({ origin: "https://evil.example" })).headers.get("access-control-allow-origin")).toBeNull();
  const answer = await get(STATS, { origin: ORIGIN });
  expect(answer.headers.get("access-control-expose-headers")).toContain("ETag");
  expect(answer.headers.get("vary")).toContain("Origin");
  const refused = await raw(runtime, "GET", STATS, { origin: ORIGIN }, undefined, "192.0.2.2");
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, ORIGIN]);
});

test("an address may ask a hundred times, whatever comes of it, and each network of IPv6 is one", async () => {
  const ask = (path: string, address: string, headers = board.headers) =>
    raw(runtime, "GET", path, headers, undefined, address);
  const first = await ask(STATS, "2001:db8:0:1::1");
  const header = (name: string) => first.headers.get(`ratelimit-${name}`);
  expect([header("policy"), header("limit"), header("remaining")]).toEqual(["100;w=900", "100", "99"]);
  expect(Number(header("reset"))).toBeWithin(890, 901);
  for (let n = 2; n <= 99; n++)
    await ask(n % 2 ? STATS : "/api/v1/dashboard/health", `2001:db8:0:1::${n}`, n % 3 ? board.headers : {});
  expect((await ask("/api/v1/dashboard/metrics", "2001:db8:0:1::1")).headers.get("ratelimit-remaining")).toBe("0");
  for (const headers of [board.headers, {}]) {
    const refused = await ask(STATS, "2001:db8:0:1::9", headers);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(refused.body).toEqual({
      error: "Too many requests from this IP, please try again later.",
      retryAfter: seconds,
    });
    expect(String(seconds)).toBe(refused.headers.get("ratelimit-reset") ?? "");
  }
  expect((await ask(STATS, "2001:db8:0:2::1")).status).toBe(200);
  expect((await runtime.ask("GET", "/api/v1/dashboard/keys")).headers.get("ratelimit-limit")).toBeNull();
});

test("Prometheus reads gauges, one line for each system", async () => {
  const { body, headers } = await get("/api/v1/dashboard/metrics");
  expect(headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  for (const line of body.trimEnd().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{os="[^"]+"\})? \d+)$/);
  expect(body).toContain('\npatch_os_hosts{os="Ubuntu"} 2\n');
  expect(body).toContain("\npatch_counter_drift 0\n");
  expect(body).toContain("# HELP lectern_pages_written Pages written\n");
  expect(body).not.toContain("broken");
});

test("what is copied into Homepage, Glance and Prometheus parses, and shows all fourteen metrics", async () => {
  const { body } = await runtime.ask("GET", `/api/v1/dashboard/keys/${board.id}/snippets`);
  const fields = (snippet: string) => {
    const [service] = Bun.YAML.parse(snippet) as Record<string, { widget: Record<string, unknown> }>[];
    const { widget } = service?.["Patch status"] ?? { widget: {} };
    expect(widget).toMatchObject({ type: "customapi", refreshInterval: 60_000, url: `${runtime.baseUrl}${STATS}` });
    type Mapping = { field: string; additionalField?: { field: string } };
    return (widget.mappings as Mapping[]).flatMap(({ field, additionalField }) =>
      [field, additionalField?.field ?? []].flat(),
    );
  };
  expect(fields(body.homepage)).toEqual(["total_hosts", "hosts_needing_updates", "security_updates"]);
  const { os_distribution: _, last_updated: __, ...metrics } = (await get()).body;
  expect(fields(body.homepage_all).sort()).toEqual(Object.keys(metrics).sort());
  expect(Bun.YAML.parse(body.glance)).toMatchObject([{ type: "custom-api", url: `${runtime.baseUrl}${STATS}` }]);
  for (const [, variable] of body.glance.matchAll(/\$\{(\w+)\}/g))
    expect(body.glance_environment).toMatch(new RegExp(`^${variable}=`, "m"));
  expect(body.glance_environment).toContain(`'${board.token_key}:<token secret>' | base64`);
  expect(Bun.YAML.parse(body.prometheus)).toMatchObject([
    { metrics_path: "/api/v1/dashboard/metrics", basic_auth: { username: board.token_key } },
  ]);
});

test("numbers that cannot be read are an error that says no more", async () => {
  const other = await bootTestRuntime();
  const hosts = sampleHosts(other);
  const key = await hosts.key();
  await hosts.read(key);
  await other.store.sql`alter table host_totals rename to elsewhere`;
  for (const path of [STATS, `${STATS}/extended`, "/api/v1/dashboard/metrics"]) {
    const { status, body } = await hosts.read(key, path);
    expect([status, body]).toEqual([500, { error: "Failed to fetch statistics" }]);
  }
  expect((await hosts.read(key, "/api/v1/dashboard/health")).status).toBe(200);
  await other.stop();
});
