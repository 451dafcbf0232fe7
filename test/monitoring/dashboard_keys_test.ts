/** Keys of dashboards: who may create them, what they open, when they are refused (dashboard-stats 3 and 5). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { installed, raw, sampleHosts } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const HEALTH = "/api/v1/dashboard/health";
let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { DASHBOARD_RATE_LIMIT_MAX: "0", APP_PROXIES: "10.0.0.0/8" } });
  dashboard = sampleHosts(runtime);
}, 120_000);
afterAll(() => runtime.stop());

const change = (id: number, body: unknown) => runtime.ask("PATCH", `/api/v1/dashboard/keys/${id}`, { body });
const shown = async (id: number) => (await runtime.ask("GET", `/api/v1/dashboard/keys/${id}`)).body;
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
const health = (headers: Record<string, string>, address?: string) =>
  raw(runtime, "GET", HEALTH, headers, undefined, address);

test("a key's secret is in the answer that makes it, and nowhere else", async () => {
  const { status, body } = await runtime.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "Board" } });
  expect(status).toBe(201);
  expect(body).toMatchObject({ token_name: "Board", status: "active", expires_at: null, allowed_ip_ranges: [] });
  expect(body.token_key).toMatch(/^dash_[0-9a-f]{32}$/);
  expect(body.token_secret).toMatch(/^[0-9a-f]{64}$/);
  expect(Buffer.from(body.basic, "base64").toString()).toBe(`${body.token_key}:${body.token_secret}`);
  for (const path of ["", `/${body.id}`, `/${body.id}/snippets`]) {
    const answer = await runtime.ask("GET", `/api/v1/dashboard/keys${path}`);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain(body.token_secret);
  }
  const stored = await runtime.store.sql`select * from dash_keys where id = ${body.id}`;
  expect(JSON.stringify(stored[0])).not.toContain(body.token_secret);
});

test("every refusal has its status and message, and 401 has WWW-Authenticate", async () => {
  const key = await dashboard.key();
  const answered = async (headers: Record<string, string>) => {
    const answer = await health(headers);
    return [answer.status, answer.body, answer.headers.get("www-authenticate")];
  };
  const challenge = 'Basic realm="dashboard", charset="UTF-8"';
  const refused = (error: string) => [401, { error }, challenge];
  const missing = refused("Missing or invalid authorization header");
  for (const headers of [{}, { authorization: "Bearer x" }, basic("nocolon"), basic(":s"), basic("k:")])
    expect(await answered(headers)).toEqual(missing);
  expect(await answered({ authorization: `Token ${runtime.token}` })).toEqual(missing);
  for (const pair of ["dash_0:x", `${key.token_key}:wrong`, `${key.token_key}:${key.token_secret}0`, "a\0b:x", "é:x"])
    expect(await answered(basic(pair))).toEqual(refused("Invalid API key"));
  await change(key.id, { is_active: false, expires_at: "2001-01-01T00:00:00Z" });
  expect(await answered(basic(`${key.token_key}:wrong`))).toEqual(refused("Invalid API key"));
  expect(await answered(key.headers)).toEqual(refused("API key is disabled"));
  await change(key.id, { is_active: true });
  expect(await answered(key.headers)).toEqual(refused("API key has expired"));
  expect((await shown(key.id)).status).toBe("expired");
  await change(key.id, { expires_at: null, allowed_ip_ranges: ["203.0.113.9"] });
  expect(await answered(key.headers)).toEqual([403, { error: "IP address not allowed" }, null]);
  await change(key.id, { allowed_ip_ranges: null });
  expect((await health(key.headers)).body.api_key).toBe("Board");
  expect((await runtime.ask("DELETE", `/api/v1/dashboard/keys/${key.id}`)).status).toBe(204);
  expect(await answered(key.headers)).toEqual(refused("Invalid API key"));
  expect((await runtime.ask("DELETE", `/api/v1/dashboard/keys/${key.id}`)).status).toBe(404);
});

test("a key expires at its moment and not before, whatever the offset it was written with", async () => {
  const key = await dashboard.key({ expires_at: "2999-01-01T01:30:00+0130" });
  expect((await shown(key.id)).expires_at).toBe("2999-01-01T00:00:00.000000Z");
  expect((await health(key.headers)).status).toBe(200);
  for (const bad of ["2030-01-01T10:00", "2030-01-01", "2030-02-30T00:00:00Z", "tomorrow", "2030-01-01T25:00:00Z", 7])
    expect([bad, (await change(key.id, { expires_at: bad })).status]).toEqual([bad, bad === 7 ? 422 : 400]);
  for (const bad of ["", "  ", "9999-12-31T23:59:59-10:00", "0001-01-01T00:00:00+14:00", "0000-06-01T00:00:00Z"]) {
    expect([bad, (await change(key.id, { expires_at: bad })).status]).toEqual([bad, 400]);
    const body = { token_name: "Board", expires_at: bad };
    expect([bad, (await runtime.ask("POST", "/api/v1/dashboard/keys", { body })).status]).toEqual([bad, 400]);
  }
  expect((await shown(key.id)).expires_at).toBe("2999-01-01T00:00:00.000000Z");
  expect((await change(key.id, { expires_at: null })).body.expires_at).toBeNull();
});

test("lists hold addresses and ranges of both kinds, and admit nobody else", async () => {
  const allowed = ["192.0.2.1", "198.51.100.0/24", "2001:db8::/32", "::ffff:203.0.113.9"];
  const key = await dashboard.key({ allowed_ip_ranges: allowed });
  expect((await shown(key.id)).allowed_ip_ranges).toEqual(allowed);
  const from = async (address: string) => (await health(key.headers, address)).status;
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "198.51.100.200", "2001:db8:1::1", "203.0.113.9"])
    expect([address, await from(address)]).toEqual([address, 200]);
  for (const address of ["192.0.2.17", "198.51.101.1", "2001:db9::1", "::1", "unknown", ""])
    expect([address, await from(address)]).toEqual([address, 403]);
  for (const bad of [["*"], ["300.1.1.1"], ["10.1"], ["10.0.0.0/33"], ["a"], [""]])
    expect([bad, (await change(key.id, { allowed_ip_ranges: bad })).status]).toEqual([bad, 400]);
});

test("a forwarded address is ignored from an unknown peer and used from a known proxy", async () => {
  const key = await dashboard.key({ allowed_ip_ranges: ["203.0.113.9"] });
  const headers = { ...key.headers, "x-forwarded-for": "203.0.113.9" };
  expect((await health(headers, "192.0.2.1")).status).toBe(403);
  expect((await health(headers, "10.1.2.3")).status).toBe(200);
  expect((await health({ ...headers, "x-forwarded-for": "203.0.113.9, 192.0.2.66" }, "10.1.2.3")).status).toBe(403);
});

test("uses and refusals are noted with their address and reason, and refusals do not count as uses", async () => {
  const key = await dashboard.key();
  await health(basic(`${key.token_key}:wrong`));
  expect(await shown(key.id)).toMatchObject({ last_used_at: null, last_refused_reason: "secret" });
  await health(key.headers, "192.0.2.44");
  const used = await shown(key.id);
  expect(used.last_used_ip).toBe("192.0.2.44");
  // Times are kept in milliseconds.
  await until(() => Date.now() > Date.parse(used.last_used_at));
  await dashboard.read(key);
  expect((await shown(key.id)).last_used_at > used.last_used_at).toBe(true);
  await change(key.id, { allowed_ip_ranges: ["192.0.2.44"] });
  await health(key.headers, "192.0.2.45");
  expect((await change(key.id, { token_name: "Late" })).body.last_refused_reason).toBe("address 192.0.2.45");
});

test("a secret that is still kept as bcrypt works, and is kept as SHA-256 from then on", async () => {
  const key = await dashboard.key();
  const old = await Bun.password.hash(key.token_secret, { algorithm: "bcrypt", cost: 4 });
  await runtime.store.sql`update dash_keys set secret_hash = ${old} where id = ${key.id}`;
  expect((await health(basic(`${key.token_key}:wrong`))).status).toBe(401);
  for (let n = 0; n < 2; n++) expect((await health(key.headers)).status).toBe(200);
  const [row] = await runtime.store.sql`select secret_hash from dash_keys where id = ${key.id}`;
  expect(row?.secret_hash).toMatch(/^[0-9a-f]{64}$/);
});

test("only who manages the instance manages keys, and a key outlives its maker", async () => {
  const [ann, ben] = [
    await runtime.person("ann", ["access-api", "users-manage"]),
    await runtime.person("ben", ["access-api", "settings-manage"]),
  ];
  expect((await runtime.ask("GET", "/api/v1/dashboard/keys", { as: ann.token })).status).toBe(403);
  const { body } = await runtime.ask("POST", "/api/v1/dashboard/keys", {
    as: ben.token,
    body: { token_name: "Ben's" },
  });
  await runtime.ask("DELETE", `/api/users/${ben.id}`);
  expect((await health({ authorization: `Basic ${body.basic}` })).body).toMatchObject({
    status: "ok",
    api_key: "Ben's",
  });
});

test("the audit log has the changes of keys and hosts by name, without their secrets", async () => {
  const key = await dashboard.key({ token_name: "Logged" });
  await change(key.id, { is_active: false });
  await runtime.ask("DELETE", `/api/v1/dashboard/keys/${key.id}`);
  const host = await dashboard.host("Logged host");
  await dashboard.report(host, { packages: [installed("bash")] });
  const { body } = await runtime.ask("GET", "/api/audit-log?sort=-id&count=4");
  expect(body.data.map(({ type, detail }: { type: string; detail: string }) => [type, detail])).toEqual([
    ["host_create", `(${host.id}) Logged host`],
    ["dashboard_key_delete", "Logged"],
    ["dashboard_key_update", "Logged"],
    ["dashboard_key_create", "Logged"],
  ]);
});

test("keys are listed like everything else, by their status as well", async () => {
  await dashboard.key({ token_name: "Alpha" });
  const off = await dashboard.key({ token_name: "Beta" });
  await change(off.id, { is_active: false });
  const list = async (query: string) =>
    (await runtime.ask("GET", `/api/v1/dashboard/keys?${query}`)).body.data.map(
      (key: { token_name: string }) => key.token_name,
    );
  expect(await list("filter[token_name]=alpha")).toEqual(["Alpha"]);
  expect(await list("filter[status]=inactive")).toEqual(["Beta"]);
  expect((await list("sort=-id&count=2"))[0]).toBe("Beta");
});

test("invalid input for a key is answered by field", async () => {
  const { status, body } = await runtime.ask("POST", "/api/v1/dashboard/keys", { body: { integration_type: "other" } });
  expect([status, Object.keys(body.error.validation)]).toEqual([422, ["token_name", "integration_type"]]);
  expect((await runtime.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "x".repeat(256) } })).status).toBe(
    422,
  );
});

test("while the store cannot look a key up, its holder is answered 503 and not 401", async () => {
  const other = await bootTestRuntime();
  const key = await sampleHosts(other).key();
  await other.store.sql`alter table dash_keys rename to elsewhere`;
  const answer = await raw(other, "GET", HEALTH, key.headers);
  expect([answer.status, answer.body]).toEqual([503, { error: "Service temporarily unavailable" }]);
  expect(answer.headers.get("retry-after")).toBe("5");
  await other.stop();
});
