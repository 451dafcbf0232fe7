/** Enrolment: its keys, their daily limit, one host or many (dashboard-stats 6.3). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { installed, raw, sampleHosts } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  dashboard = sampleHosts(runtime);
}, 120_000);
afterAll(() => runtime.stop());

type Pair = { token_key: string; token_secret: string };
let callers = 0;
/** Each call comes from another address, so that the limit by address is met only where it is meant. */
const enrol = (key: Partial<Pair>, body: unknown, path = "enroll") => {
  const headers = {
    ...(key.token_key === undefined ? {} : { "x-auto-enrollment-key": key.token_key }),
    ...(key.token_secret === undefined ? {} : { "x-auto-enrollment-secret": key.token_secret }),
  };
  const address = `198.51.100.${callers++ % 250}`;
  return raw(runtime, "POST", `/api/v1/auto-enrollment/${path}`, headers, JSON.stringify(body), address);
};
const change = (id: number, body: unknown) => runtime.ask("PATCH", `/api/v1/dashboard/keys/${id}`, { body });

test("a key of enrolment makes a host that can report at once", async () => {
  const key = await dashboard.key({ integration_type: "enrolment" });
  expect(key.token_key).toMatch(/^enrol_[0-9a-f]{32}$/);
  const { status, body } = await enrol(key, { friendly_name: "web-1", metadata: { any: 1 } });
  expect([status, body.message]).toEqual([201, "Host enrolled successfully"]);
  expect(body.host).toMatchObject({ friendly_name: "web-1", host_group: null, status: "pending" });
  expect(body.host.api_id).toMatch(/^patchmon_[0-9a-f]{16}$/);
  expect(body.host.api_key).toMatch(/^[0-9a-f]{64}$/);
  const headers = { "x-api-id": body.host.api_id, "x-api-key": body.host.api_key };
  expect((await dashboard.report({ id: body.host.id, headers }, { packages: [installed("bash")] })).status).toBe(200);
});

test("a key opens its own door and no other", async () => {
  const [board, script] = [await dashboard.key(), await dashboard.key({ integration_type: "enrolment" })];
  expect((await enrol(board, { friendly_name: "x" })).body).toEqual({ error: "Invalid or inactive token" });
  const { status, body } = await dashboard.read(script);
  expect([status, body]).toEqual([401, { error: "Invalid API key" }]);
});

test("each refusal has its own words", async () => {
  const key = await dashboard.key({ integration_type: "enrolment" });
  const answered = async (pair: Partial<Pair>) => {
    const { status, body } = await enrol(pair, { friendly_name: "x" });
    return [status, body.error];
  };
  expect(await answered({})).toEqual([401, "Auto-enrollment credentials required"]);
  expect(await answered({ ...key, token_key: "enrol_0" })).toEqual([401, "Invalid or inactive token"]);
  expect(await answered({ ...key, token_secret: "wrong" })).toEqual([401, "Invalid token secret"]);
  await change(key.id, { is_active: false });
  expect(await answered(key)).toEqual([401, "Invalid or inactive token"]);
  expect(await answered({ ...key, token_secret: "wrong" })).toEqual([401, "Invalid token secret"]);
  await change(key.id, { is_active: true, expires_at: "2001-01-01T00:00:00Z" });
  expect(await answered(key)).toEqual([401, "Token expired"]);
  await change(key.id, { expires_at: null, allowed_ip_ranges: ["203.0.113.1"] });
  expect(await answered(key)).toEqual([403, "IP address not authorized for this token"]);
});

test("the daily limit is exact, however many enrol at once", async () => {
  const key = await dashboard.key({ integration_type: "enrolment", max_hosts_per_day: 5 });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => enrol(key, { friendly_name: `h${at}` })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, ...Array(7).fill(429)]);
  expect(answers.find(({ status }) => status === 429)?.body).toEqual({
    error: "Rate limit exceeded",
    message: "This token has enrolled as many hosts as it may in a day",
  });
  await runtime.store.sql`update dash_keys set hosts_made_on = hosts_made_on - 1 where id = ${key.id}`;
  expect((await enrol(key, { friendly_name: "tomorrow" })).status).toBe(201);
});

test("a machine that is known keeps its host and gets new credentials, however many scripts run", async () => {
  const key = await dashboard.key({ integration_type: "enrolment" });
  const host = { friendly_name: "same", machine_id: "0123456789abcdef" };
  const answers = await Promise.all([enrol(key, host), enrol(key, host), enrol(key, host)]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const [id, ...others] = new Set(answers.map(({ body }) => body.host.id));
  expect(others).toEqual([]);
  const report = (made: { api_id: string; api_key: string }) =>
    dashboard.report(
      { id, headers: { "x-api-id": made.api_id, "x-api-key": made.api_key } },
      { packages: [installed("a")] },
    );
  await runtime.ask("PATCH", `/api/v1/dashboard/hosts/${id}`, { body: { friendly_name: "by hand" } });
  const last = await enrol(key, host);
  expect(last.body.host).toMatchObject({ id, friendly_name: "by hand", status: "pending" });
  const statuses = [];
  for (const { body } of [...answers, last]) statuses.push((await report(body.host)).status);
  expect(statuses).toEqual([401, 401, 401, 200]);
  const bulk = await enrol(key, { hosts: [host, { friendly_name: "new" }] }, "enroll/bulk");
  expect(bulk.body.results.success).toMatchObject([{ id, status: "active" }, { friendly_name: "new" }]);
  const log = await runtime.ask("GET", `/api/audit-log?filter[type]=host_update&filter[detail]=(${id}) by hand`);
  expect(log.body.total).toBe(3);
});

test("a machine that is known costs a day's allowance too, and clones keep a host each by their names", async () => {
  const key = await dashboard.key({ integration_type: "enrolment", max_hosts_per_day: 2 });
  const clone = (friendly_name: string) => ({ friendly_name, machine_id: "cl0ne" });
  const first = (await enrol(key, clone("one"))).body.host;
  const second = (await runtime.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: "two" } })).body;
  const headers = { "x-api-id": second.api_id, "x-api-key": second.api_key };
  await dashboard.report({ id: second.id, headers }, { machineId: "cl0ne", packages: [installed("a")] });
  expect((await enrol(key, clone("two"))).body.host.id).toBe(second.id);
  expect([first.id === second.id, (await enrol(key, clone("one"))).status]).toEqual([false, 429]);
});

test("up to fifty hosts at a time, those refused named with the reason", async () => {
  const key = await dashboard.key({ integration_type: "enrolment", max_hosts_per_day: 2 });
  const hosts = ["a", "b", "c"].map((name) => ({ friendly_name: name }));
  const { status, body } = await enrol(key, { hosts }, "enroll/bulk");
  expect([status, body.message]).toEqual([201, "Bulk enrollment completed: 2 succeeded, 1 failed"]);
  expect(body.results.success.map((host: { friendly_name: string }) => host.friendly_name)).toEqual(["a", "b"]);
  expect(body.results.failed).toEqual([{ friendly_name: "c", error: "Rate limit exceeded" }]);
  for (const bad of [{}, { hosts: [] }, { hosts: Array(51).fill(hosts[0]) }, { hosts: "a" }])
    expect((await enrol(key, bad, "enroll/bulk")).status).toBe(400);
});

test("one entry of a list that is wrong refuses itself alone", async () => {
  const key = await dashboard.key({ integration_type: "enrolment" });
  const long = "x".repeat(256);
  const hosts = [{ friendly_name: "good" }, {}, null, { friendly_name: long }, { friendly_name: "better" }];
  const { status, body } = await enrol(key, { hosts }, "enroll/bulk");
  expect([status, body.message]).toEqual([201, "Bulk enrollment completed: 2 succeeded, 3 failed"]);
  expect(body.results.success.map((host: { friendly_name: string }) => host.friendly_name)).toEqual(["good", "better"]);
  const error = "Friendly name must be 1 to 255 characters";
  expect(body.results.failed).toEqual(
    ["host 2 of the list", "host 3 of the list", long].map((name) => ({ friendly_name: name, error })),
  );
  const none = await enrol(key, { hosts: [{}] }, "enroll/bulk");
  expect([none.status, none.body.message]).toEqual([201, "Bulk enrollment completed: 0 succeeded, 1 failed"]);
});

test("a name is needed, and no address may ask without end", async () => {
  const key = await dashboard.key({ integration_type: "enrolment" });
  for (const bad of [{}, { friendly_name: "" }, { friendly_name: "x".repeat(256) }, { friendly_name: 7 }, [], null])
    expect((await enrol(key, bad)).status).toBe(400);
  const statuses: number[] = [];
  for (let n = 0; n < 121; n++)
    statuses.push((await raw(runtime, "POST", "/api/v1/auto-enrollment/enroll", {}, "{}", "192.0.2.99")).status);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});
