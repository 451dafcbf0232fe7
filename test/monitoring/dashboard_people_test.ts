/** What users who manage an instance read about its hosts: the numbers, their history, and how much of the limit is used. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Db } from "lectern/db";
import { recordHistory } from "../../plugins/monitoring/hosts/history.ts";
import { installed, raw, sampleHosts } from "../support/data/sample_hosts.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let dashboard: ReturnType<typeof sampleHosts>;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  dashboard = sampleHosts(runtime);
}, 120_000);
afterAll(() => runtime.stop());

const get = async (path: string) => (await runtime.ask("GET", `/api/v1/dashboard/${path}`)).body;

test("people read the same numbers as dashboards, without a key", async () => {
  await dashboard.report(await dashboard.host("a"), { osType: "Debian", packages: [installed("bash", "risk")] });
  const { body } = await dashboard.read(await dashboard.key(), "/api/v1/dashboard/stats/extended");
  const numbers = await get("numbers");
  expect(Object.keys(numbers)).toEqual(Object.keys(body));
  expect(numbers).toMatchObject({
    total_hosts: 1,
    security_updates: 1,
    os_distribution: [{ name: "Debian", count: 1 }],
  });
});

test("an hour has one row, with the last numbers it saw", async () => {
  const db = runtime.db as unknown as Db;
  await recordHistory(db);
  await dashboard.report(await dashboard.host("b"), { osType: "Debian", packages: [installed("bash", "old")] });
  await recordHistory(db);
  const { points, step, days } = await get("history?days=1");
  expect([step, days, points.length]).toEqual(["hour", 1, 1]);
  expect(points[0]).toEqual({
    at: expect.stringMatching(/T\d\d:00:00\.000000Z$/),
    total_hosts: 2,
    hosts_needing_updates: 2,
    hosts_with_security_updates: 1,
    total_outdated_packages: 2,
    security_updates: 1,
    reboot_required_hosts: 0,
  });
});

test("a week is shown by the hour, longer periods by the day with its last numbers; old rows are removed", async () => {
  const { sql } = runtime.store;
  await sql`delete from host_history`;
  await sql`insert into host_history (at, hosts, needing, at_risk, outdated, security, rebooting)
    select date_trunc('day', now(), 'UTC') - make_interval(hours => n), n, 0, 0, 0, 0, 0 from generate_series(1, 480) as n`;
  await sql`insert into host_history values (now() - interval '4 years', 1, 0, 0, 0, 0, 0)`;
  const week = await get("history?days=7");
  expect(week.step).toBe("hour");
  expect(week.points.length).toBeGreaterThan(143);
  const month = await get("history");
  expect([month.step, month.days, month.points.length]).toEqual(["day", 30, 20]);
  expect(month.points.at(-1).total_hosts).toBe(1);
  await recordHistory(runtime.db as unknown as Db);
  expect(await sql`select from host_history where at < now() - interval '3 years'`).toHaveLength(0);
  for (const bad of ["0", "1096", "x"])
    expect([bad, (await runtime.ask("GET", `/api/v1/dashboard/history?days=${bad}`)).status]).toEqual([bad, 422]);
});

test("the use of the limit is shown for the addresses that keys were used from", async () => {
  const key = await dashboard.key({ token_name: "Wall" });
  for (let turn = 0; turn < 3; turn++)
    await raw(runtime, "GET", "/api/v1/dashboard/stats", key.headers, undefined, "192.0.2.99");
  await runtime.ask("GET", "/api/v1/dashboard/keys");
  const usage = await get("usage");
  expect(usage).toMatchObject({ limit: 100, window_seconds: 900 });
  const usedFrom = usage.addresses.find(({ address }: { address: string }) => address === "192.0.2.99");
  expect(usedFrom).toMatchObject({ keys: ["Wall"], used: 3, remaining: 97 });
  expect(new Date(usedFrom.resets_at).getTime()).toBeGreaterThan(Date.now());
});

test("a refused address or time of a key is answered by field", async () => {
  const make = (body: object) => runtime.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "x", ...body } });
  expect((await make({ expires_at: "soon" })).body.error).toMatchObject({
    code: 400,
    validation: { expires_at: [expect.stringContaining("must be a time")] },
  });
  expect((await make({ allowed_ip_ranges: ["here $&"] })).body.error.validation).toEqual({
    allowed_ip_ranges: [expect.stringContaining('"here $&"')],
  });
});

test("the events for webhooks are listed with their descriptions", async () => {
  const { body } = await runtime.ask("GET", "/api/webhooks/events");
  const types = body.events.map(({ type }: { type: string }) => type);
  expect(types).toContain("page_create");
  expect(types).toContain("auth_login");
  expect(types).toContain("host_delete");
  expect(types).not.toContain("book_move");
  expect(new Set(types).size).toBe(types.length);
  expect(body.events.find(({ type }: { type: string }) => type === "host_delete").text).toBe("deleted host");
});
