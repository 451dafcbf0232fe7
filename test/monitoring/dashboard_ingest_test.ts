/** Reports of agents of every version, and what is stored of them (dashboard-stats 6). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { installed, raw, sampleHosts, type TestKey } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
let board: TestKey;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { HOSTS_REQUESTS_PER_MIN: "0", DASHBOARD_RATE_LIMIT_MAX: "0" } });
  dashboard = sampleHosts(runtime);
  board = await dashboard.key();
}, 120_000);
afterAll(() => runtime.stop());

const numbers = async () => (await dashboard.read(board, "/api/v1/dashboard/stats/extended")).body;
const shown = async (id: number) => (await runtime.ask("GET", `/api/v1/dashboard/hosts/${id}`)).body;
const remove = (id: number) => runtime.ask("DELETE", `/api/v1/dashboard/hosts/${id}`);
const updated = (packages: number, outdated: number, security: number) => ({
  message: "Host updated successfully",
  packagesProcessed: packages,
  updatesAvailable: outdated,
  securityUpdates: security,
});
const mixed = [installed("bash", "old"), installed("openssl", "risk"), installed("curl")];
const repository = {
  name: "main",
  url: "http://deb.example",
  distribution: "noble",
  components: "main",
  isEnabled: true,
};

test("a host counts from its first report with packages on, and not by pinging", async () => {
  const host = await dashboard.host("oak");
  const before = await numbers();
  expect((await dashboard.ping(host)).body.message).toBe("Ping successful");
  expect(await numbers()).toMatchObject({ total_hosts: before.total_hosts, pending_hosts: before.pending_hosts });
  expect((await dashboard.report(host, { osType: "ubuntu", osVersion: "24.04", packages: mixed })).body).toEqual(
    updated(3, 2, 1),
  );
  expect(await numbers()).toMatchObject({
    total_hosts: before.total_hosts + 1,
    pending_hosts: before.pending_hosts - 1,
    os_distribution: [{ name: "Ubuntu", count: 1 }],
    os_versions: [{ name: "Ubuntu", version: "24.04", count: 1 }],
  });
  expect(await shown(host.id)).toMatchObject({
    status: "active",
    outdated: [
      { name: "bash", current_version: "1.0", available_version: "1.1", security: false },
      { name: "openssl", security: true },
    ],
  });
  await remove(host.id);
});

test("reports shaped as agents of v1.2, v1.4 and v2 send them give the same numbers", async () => {
  const facts = { osType: "debian", osVersion: "12", hostname: "h", ip: "192.0.2.1", machineId: "m" };
  const shapes = [
    { ...facts, packages: mixed, repositories: [repository], apiId: "x", crontab: "" },
    {
      ...facts,
      packages: mixed.map((one) => ({ ...one, description: "d" })),
      needsReboot: false,
      selinuxStatus: "enforcing",
    },
    {
      ...facts,
      packages: mixed,
      sections: ["packages", "repos", "interfaces", "hostname"],
      repositories: [repository],
    },
  ];
  const seen: unknown[] = [];
  for (const shape of shapes) {
    const host = await dashboard.host("shape");
    expect((await dashboard.report(host, shape)).body).toEqual(updated(3, 2, 1));
    const { last_updated: _, recent_updates_24h: __, unique_as_of: ___, total_repos: ____, ...rest } = await numbers();
    seen.push(rest);
    await remove(host.id);
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
});

test("a report may be packed, or lines of a shell", async () => {
  const host = await dashboard.host("packed");
  expect((await dashboard.reportPacked(host, { packages: mixed })).body).toEqual(updated(3, 2, 1));
  const lines = [
    "#osType\tAlpine Linux",
    "#needsReboot\t1",
    "#repo\tapk\thttps://apk.example/main\t\t",
    "musl\t1.2\t1.3\ts",
    "zlib\t1.3\t\t",
    "",
  ];
  expect((await dashboard.reportLines(host, lines.join("\n"))).body).toEqual(updated(2, 1, 1));
  expect(await shown(host.id)).toMatchObject({
    os_name: "Alpine Linux",
    needs_reboot: true,
    repositories: [{ url: "https://apk.example/main", type: "apk" }],
  });
  expect(await numbers()).toMatchObject({ reboot_required_hosts: 1 });
  await remove(host.id);
});

test("of equal names the last counts, and security only where an update is needed", async () => {
  const host = await dashboard.host("twice");
  const contradictory = { ...installed("a"), isSecurityUpdate: true };
  expect(
    (await dashboard.report(host, { packages: [installed("b", "old"), installed("b"), contradictory] })).body,
  ).toEqual(updated(3 - 1, 0, 0));
  await remove(host.id);
});

test("a broken collector is refused and changes nothing", async () => {
  const host = await dashboard.host("broken");
  await dashboard.report(host, { packages: mixed });
  const before = await numbers();
  for (const body of [
    {},
    { packages: [] },
    { packages: "none" },
    { packages: [{ currentVersion: "1" }] },
    { packages: [{ name: "x".repeat(256) }] },
    { packages: [null] },
    { packages: [{ ...installed("a"), needsUpdate: "true" }] },
    { packages: [{ ...installed("a", "old"), isSecurityUpdate: 1 }] },
    { packages: Array.from({ length: 10_001 }, (_, at) => installed(`p${at}`)) },
    { packages: mixed, sections: ["kernel"] },
    { packages: mixed, sections: [] },
    [],
    null,
  ]) {
    const { status, body: answer } = await dashboard.report(host, body);
    expect([status, Object.keys(answer)]).toEqual([400, ["error"]]);
  }
  const flag = await dashboard.report(host, { packages: [...mixed, { ...installed("a"), needsUpdate: "yes" }] });
  expect(flag.body).toEqual({ error: "Package 3 must have true or false as needsUpdate" });
  for (const text of ["", "no tab here", "#osType\tDebian"])
    expect((await dashboard.reportLines(host, text)).status).toBe(400);
  const { last_updated: _, unique_as_of: __, ...rest } = await numbers();
  expect(before).toMatchObject(rest);
  await remove(host.id);
});

test("texts no store can hold cost nothing but themselves", async () => {
  const host = await dashboard.host("odd");
  const { status } = await dashboard.report(host, {
    osType: "A\0B\ud800",
    hostname: { a: 1 },
    osVersion: "x".repeat(5_000),
    packages: [{ name: "p\0q", currentVersion: 7, needsUpdate: true, availableVersion: "\udfff" }],
  });
  expect(status).toBe(200);
  expect(await shown(host.id)).toMatchObject({
    os_name: "AB\ufffd",
    outdated: [{ name: "pq", current_version: "unknown" }],
  });
  await remove(host.id);
});

test("what is too large, or unpacks to too much, is refused with 413", async () => {
  const host = await dashboard.host("large");
  const send = (body: Uint8Array, headers: Record<string, string>) =>
    raw(
      runtime,
      "POST",
      "/api/v1/hosts/update",
      { ...host.headers, "content-type": "application/json", ...headers },
      body,
    );
  expect((await send(new Uint8Array(5 * 1024 * 1024 + 1).fill(32), {})).status).toBe(413);
  const bomb = await send(gzipSync(new Uint8Array(33 * 1024 * 1024)), { "content-encoding": "gzip" });
  expect([bomb.status, Object.keys(bomb.body)]).toEqual([413, ["error"]]);
  expect((await send(Buffer.from("{}"), { "content-encoding": "gzip" })).status).toBe(400);
  expect((await send(Buffer.from("{}"), { "content-encoding": "br" })).status).toBe(415);
  expect((await send(Buffer.from([0xff, 0xfe]), {})).status).toBe(400);
  await remove(host.id);
});

test("repositories stay where a report has no section for them, and go where the section is empty", async () => {
  const host = await dashboard.host("repos");
  const repos = async () => (await numbers()).total_repos;
  const before = await repos();
  const second = { ...repository, url: "http://second.example", isEnabled: false };
  await dashboard.report(host, { packages: mixed, repositories: [repository, second, repository] });
  expect(await repos()).toBe(before + 2);
  await dashboard.report(host, { packages: mixed });
  expect(await repos()).toBe(before + 2);
  await dashboard.report(host, { packages: mixed, repositories: [{ ...repository, isEnabled: false }] });
  expect((await shown(host.id)).repositories).toEqual([
    { name: "main", url: "http://deb.example", distribution: "noble", components: "main", type: "", enabled: false },
  ]);
  await dashboard.report(host, { sections: ["repos"], repositories: [] });
  expect(await repos()).toBe(before);
  await remove(host.id);
});

test("full and partial reports count as recent, pings and refusals do not, and a removed host takes its own along", async () => {
  const host = await dashboard.host("recent");
  const recent = async () => (await numbers()).recent_updates_24h;
  const before = await recent();
  await dashboard.report(host, { packages: mixed });
  await dashboard.report(host, { packages: mixed });
  await dashboard.report(host, { sections: ["hostname"], hostname: "x" });
  await dashboard.report(host, { packages: [] });
  await dashboard.ping(host);
  expect(await recent()).toBe(before + 3);
  await remove(host.id);
  expect(await recent()).toBe(before);
});

test("while nothing is known of a host's packages, nothing it reports changes a number", async () => {
  const host = await dashboard.host("still pending");
  const answered = async () => {
    const { last_updated: _, unique_as_of: __, ...rest } = await numbers();
    return rest;
  };
  const before = await answered();
  const partial = { sections: ["hostname", "repos"], hostname: "p", repositories: [{ url: "http://pending.example" }] };
  for (let n = 0; n < 2; n++) expect((await dashboard.report(host, partial)).status).toBe(200);
  expect(await answered()).toEqual(before);
  expect(await shown(host.id)).toMatchObject({ status: "pending", hostname: "p" });
  expect((await dashboard.ping(host, { hashes: { reposHash: "x" } })).body.requestFull).toContain("repos");
  await dashboard.report(host, { packages: mixed });
  await dashboard.report(host, partial);
  expect(await answered()).toMatchObject({
    recent_updates_24h: before.recent_updates_24h + 2,
    total_repos: before.total_repos + 1,
  });
  await remove(host.id);
});

test("the window of a day is exact where it begins", async () => {
  const host = await dashboard.host("window");
  const before = (await numbers()).recent_updates_24h;
  const { sql } = runtime.store;
  const at = (
    age: string,
  ) => sql`insert into host_reports (host_id, received_at, kind, n_packages, n_outdated, n_security)
    values (${host.id}, now() - ${age}::interval, 'full', 1, 0, 0)`;
  for (const age of ["23 hours 59 minutes 58 seconds", "23 hours 30 minutes", "23 hours", "1 hour", "1 second"])
    await at(age);
  for (const age of ["24 hours 1 second", "24 hours 50 minutes", "25 hours", "27 hours", "40 days"]) await at(age);
  expect((await numbers()).recent_updates_24h).toBe(before + 5);
  await remove(host.id);
  expect((await numbers()).recent_updates_24h).toBe(before);
});

test("a host disabled by hand stays disabled, reports all the same, and is enabled by hand", async () => {
  const host = await dashboard.host("out");
  const patch = (status: string) => runtime.ask("PATCH", `/api/v1/dashboard/hosts/${host.id}`, { body: { status } });
  expect((await patch("active")).body.status).toBe("pending");
  await dashboard.report(host, { packages: mixed });
  const { total_hosts: all } = await numbers();
  expect((await patch("inactive")).body).toMatchObject({ status: "inactive", inactive_reason: "manual" });
  await dashboard.report(host, { packages: [installed("bash", "risk"), installed("zsh", "risk")] });
  expect(await numbers()).toMatchObject({ total_hosts: all - 1, inactive_hosts: 1, security_updates: 0 });
  expect((await patch("active")).body).toMatchObject({ status: "active", inactive_reason: null, security_updates: 2 });
  expect(await numbers()).toMatchObject({ total_hosts: all, security_updates: 2 });
  await remove(host.id);
});

test("only the answer that creates a host has its key, and no event has it", async () => {
  const { body } = await runtime.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: "secret" } });
  const rest = [
    await runtime.ask("GET", "/api/v1/dashboard/hosts"),
    await runtime.ask("GET", `/api/v1/dashboard/hosts/${body.id}`),
    await runtime.ask("PATCH", `/api/v1/dashboard/hosts/${body.id}`, { body: { friendly_name: "other" } }),
  ];
  for (const answer of rest) expect(JSON.stringify(answer.body)).not.toContain(body.api_key);
  expect(rest[2]?.body.friendly_name).toBe("other");
  await remove(body.id);
  expect((await runtime.ask("GET", `/api/v1/dashboard/hosts/${body.id}`)).status).toBe(404);
});
