/** The absolute lifetime of sessions: they end whatever their activity, those that an earlier version began included. */
import { afterAll, expect, setDefaultTimeout, setSystemTime, test } from "bun:test";
import { sha256 } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(60_000);
const HOUR_MS = 3_600_000;
const ADMIN = { email: "admin@example.com", password: "correct horse battery" };
const runtimes: TestRuntime[] = [];
afterAll(async () => {
  for (const runtime of runtimes) await runtime.stop();
});

async function booted(env: Record<string, string> = {}): Promise<TestRuntime> {
  const runtime = await bootTestRuntime({ env });
  runtimes.push(runtime);
  return runtime;
}

/** A session of the administrator that began that many hours ago and was used a minute ago, as a version without a limit left it. */
async function sessionSince({ store }: TestRuntime, hours: number): Promise<string> {
  const value = `x${hours}`.padEnd(40, "0");
  await store.sql`insert into sessions (user_id, hash, address, agent, created_at, last_seen_at)
    values (1, ${sha256(value)}, '127.0.0.1', 'a browser', now() - ${hours} * interval '1 hour', now() - interval '1 minute')`;
  return `bookstack_session=${value}`;
}

const seenBy = async ({ ask }: TestRuntime, cookie: string) =>
  (await ask("GET", "/api/session", { as: null, headers: { cookie } })).status;
const listed = async ({ ask }: TestRuntime) =>
  (await ask("GET", "/api/users/1/sessions?count=500")).body.data.map((row: { id: number }) => row.id);

test("a session that is used ends thirty days after its sign-in, and is listed no more", async () => {
  const runtime = await booted();
  const younger = await sessionSince(runtime, 719);
  const older = await sessionSince(runtime, 721);
  expect([await seenBy(runtime, younger), await seenBy(runtime, older)]).toEqual([200, 401]);
  expect(await listed(runtime)).toHaveLength(1);
  const { body } = await runtime.ask("GET", "/api/session", { as: null, headers: { cookie: younger } });
  // The idle lifetime would be two hours.
  expect(Date.parse(body.session.expires_at) - Date.now()).toBeWithin(0.9 * HOUR_MS, 1.1 * HOUR_MS);
});

test("SESSION_ABSOLUTE_LIFETIME ends a session in constant use, also one that is cached", async () => {
  const runtime = await booted({ SESSION_ABSOLUTE_LIFETIME: "3" });
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: ADMIN });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  const begun = Date.now();
  const seen: number[] = [];
  try {
    for (const hours of [0, 1, 2, 2.9, 3.1]) {
      setSystemTime(new Date(begun + hours * HOUR_MS));
      seen.push(await seenBy(runtime, cookie));
    }
  } finally {
    setSystemTime();
  }
  expect(seen).toEqual([200, 200, 200, 200, 401]);
});

test("zero sets no limit, and a longer SESSION_LIFETIME is not cut short by the default", async () => {
  for (const env of [{ SESSION_ABSOLUTE_LIFETIME: "0" }, { SESSION_LIFETIME: "525600" }]) {
    const runtime = await booted(env);
    expect(await seenBy(runtime, await sessionSince(runtime, 5000))).toBe(200);
    expect(await listed(runtime)).toHaveLength(1);
  }
  const both = await booted({ SESSION_LIFETIME: "525600", SESSION_ABSOLUTE_LIFETIME: "24" });
  expect(await seenBy(both, await sessionSince(both, 25))).toBe(401);
});

test("sessions that have ended are deleted", async () => {
  const runtime = await booted();
  for (const hours of [1, 719, 721, 5000]) await sessionSince(runtime, hours);
  await runtime.store.sql`insert into schedules (name, next_at) values ('sessions:sweep', now())`;
  await runtime.runtime.start();
  const left = async () => (await runtime.store.sql`select 1 from sessions`).length;
  expect(await until(left, (count) => count < 4)).toBe(2);
});
