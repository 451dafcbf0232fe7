/** What agents are answered beside their reports (dashboard-stats 6.4 and 6.6). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { installed, raw, sampleHosts } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { HOSTS_REQUESTS_PER_MIN: "20" } });
  dashboard = sampleHosts(runtime);
}, 120_000);
afterAll(() => runtime.stop());

const remove = (id: number) => runtime.ask("DELETE", `/api/v1/dashboard/hosts/${id}`);

test("a ping asks for the sections whose hashes are not known, and for no others", async () => {
  const host = await dashboard.host("hashes");
  const all = ["packages", "repos", "interfaces", "hostname"];
  expect((await dashboard.ping(host, { hashes: { packagesHash: "x", dockerHash: "y" } })).body).toMatchObject({
    friendlyName: "hashes",
    agentStartup: false,
    integrations: { docker: false, compliance: false },
    hashGate: true,
    requestFull: all,
  });
  expect((await dashboard.ping(host)).body.requestFull).toBeUndefined();
  const bash = { name: "bash", currentVersion: "5.2.15-2", availableVersion: "5.2.15-3", needsUpdate: true };
  const packagesHash = "aba1c12438c9470f273310fa09134d9ab94f8fcc7028e0acba310ae9e60817ae";
  const hostnameHash = "c4719afa76fa448b5eca99e6736885846501d17956f2fcb2de5c916d723f3a87";
  const hashes = { packagesHash, hostnameHash, reposHash: "", interfacesHash: "" };
  const sections = ["packages", "hostname"];
  const { body } = await dashboard.report(host, { packages: [bash], hostname: "web-1", hashes, sections });
  expect(body.updatesAvailable).toBe(1);
  expect((await dashboard.ping(host, { hashes })).body.requestFull).toEqual(["repos", "interfaces"]);
  await dashboard.report(host, { packages: [bash], hashes: { packagesHash: "0".repeat(64) }, sections: ["packages"] });
  expect((await dashboard.ping(host, { hashes })).body.requestFull).toEqual(["packages", "repos", "interfaces"]);
  await remove(host.id);
});

test("agents are answered how often to report, and that there is nothing to update or to inspect", async () => {
  const host = await dashboard.host("settings");
  const get = async (path: string) => (await raw(runtime, "GET", path, host.headers)).body;
  expect(await get("/api/v1/settings/update-interval")).toEqual({ updateInterval: 60, cronExpression: "0 * * * *" });
  expect(await get("/api/v1/hosts/settings")).toEqual({ auto_update: false, host_auto_update: false });
  expect(await get("/api/v1/hosts/agent/version?currentVersion=2.1.3")).toMatchObject({
    currentVersion: "2.1.3",
    latestVersion: "2.1.3",
    hasUpdate: false,
    autoUpdateDisabled: true,
  });
  expect(await get("/api/v1/hosts/integrations")).toEqual({
    success: true,
    integrations: { docker: false, compliance: false },
  });
  const status = await raw(runtime, "POST", "/api/v1/hosts/integration-status", host.headers, "{}");
  expect(status.body.success).toBe(true);
  expect((await raw(runtime, "GET", "/api/v1/agents/ws", host.headers)).status).toBe(426);
  expect((await raw(runtime, "GET", "/api/v1/agents/ws", {})).status).toBe(401);
  await remove(host.id);
});

test("missing and wrong credentials are answered in the agents' error shape", async () => {
  const [host, other] = [await dashboard.host("a"), await dashboard.host("b")];
  const ask = (headers: Record<string, string>, path = "/api/v1/hosts/update") =>
    raw(runtime, "POST", path, headers, "{}");
  expect((await ask({})).body).toEqual({ error: "API credentials required" });
  expect((await ask({ "x-api-id": host.headers["x-api-id"] ?? "" })).status).toBe(401);
  for (const headers of [
    { ...host.headers, "x-api-key": other.headers["x-api-key"] ?? "" },
    { "x-api-id": "unknown", "x-api-key": "x" },
    { "x-api-id": "x".repeat(300), "x-api-key": "x" },
  ]) {
    const { status, body } = await ask(headers);
    expect([status, body]).toEqual([401, { error: "Invalid API credentials" }]);
  }
  await remove(host.id);
  expect((await dashboard.report(host, { packages: [installed("curl")] })).body).toEqual({
    error: "Invalid API credentials",
  });
  expect((await raw(runtime, "GET", "/api/v1/hosts/docker", other.headers)).body).toEqual({ error: "Route not found" });
  expect((await raw(runtime, "PUT", "/api/v1/hosts/ping", other.headers)).body).toEqual({
    error: "Method not allowed",
  });
  await remove(other.id);
});

test("a host may ask so often in a minute, an address show wrong credentials so often", async () => {
  const [busy, other] = [await dashboard.host("busy"), await dashboard.host("other")];
  const statuses = new Set<number>();
  // The minute may end between two of these requests, but not twice.
  for (let n = 0; n < 41; n++) {
    const { status, headers, body } = await dashboard.ping(busy);
    statuses.add(status);
    if (status !== 429) continue;
    expect(body).toEqual({ error: "Too many requests, please try again later." });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect([...statuses]).toEqual([200, 429]);
  expect((await dashboard.ping(other)).status).toBe(200);
  const wrong = async () => (await raw(runtime, "GET", "/api/v1/hosts/settings", {}, undefined, "192.0.2.7")).status;
  const refused: number[] = [];
  for (let n = 0; n < 121; n++) refused.push(await wrong());
  expect(new Set(refused)).toEqual(new Set([401, 429]));
  expect((await raw(runtime, "GET", "/api/v1/hosts/settings", other.headers)).status).toBe(200);
});
