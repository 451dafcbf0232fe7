/**
 * Two servers on one database act as one: changes on one hold on the other, and jobs, schedules and calls are made by one of
 * them.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { openReceiver } from "../support/fakes/webhook_receiver.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";
import { distinctCalls, webhooksIdle } from "../support/harness/webhook_queue.ts";

declare module "lectern/core" {
  interface Jobs {
    "two-work": { n: number };
  }
}

const INTERVAL_MS = 400;
const LIMIT = 5;

const done: string[] = [];
const ticks: number[] = [];
const worker = (place: string) =>
  definePlugin({
    name: "two-worker",
    setup({ jobs }) {
      jobs.handle("two-work", async ({ n }) => {
        done.push(`${n} ${place}`);
        await Bun.sleep(1);
      });
      jobs.every("tick", INTERVAL_MS, async () => void ticks.push(await nextTick()));
    },
  });

/** When the schedule is due next, as its present run has left it in the store. */
async function nextTick(): Promise<number> {
  const [row] = await one.store.sql<{ ms: number }[]>`select (extract(epoch from next_at) * 1000)::float8 as ms
    from schedules where name = 'two-worker:tick'`;
  return row?.ms ?? 0;
}

const env = { RATE_LIMITS_SHARED: "true", ALLOW_PRIVATE_HOSTS: "127.0.0.0/8" };
let one: TestRuntime;
let two: TestRuntime;
beforeAll(async () => {
  one = await bootTestRuntime({ env, extra: [worker("one")] });
  two = await bootTestRuntime({ env, extra: [worker("two")], beside: one });
  await one.runtime.start();
  await two.runtime.start();
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

test("a token revoked on one server is refused by the other, and so is a deleted user", async () => {
  const ann = await one.person("Ann", ["access-api", "book-view-all"]);
  const status = (as: string) => async () => (await two.ask("GET", "/api/books", { as })).status;
  expect(await status(ann.token)()).toBe(200);
  const { body } = await one.ask("GET", `/api/users/${ann.id}/tokens`);
  await one.ask("DELETE", `/api/users/${ann.id}/tokens/${body.data[0].id}`);
  expect(await until(status(ann.token), (found) => found === 401)).toBe(401);
  const ben = await two.person("Ben", ["access-api", "book-view-all"]);
  expect(await status(ben.token)()).toBe(200);
  await one.ask("DELETE", `/api/users/${ben.id}`);
  expect(await until(status(ben.token), (found) => found === 401)).toBe(401);
});

test("permissions of roles and items changed on one server hold on the other", async () => {
  const cid = await one.person("Cid", ["access-api", "book-view-all"]);
  const { body: book } = await one.ask("POST", "/api/books", { body: { name: "Shared" } });
  const read = async () => (await two.ask("GET", `/api/books/${book.id}`, { as: cid.token })).status;
  expect(await read()).toBe(200);
  const overrides = {
    role_permissions: [{ role_id: cid.role, view: false, create: false, update: false, delete: false }],
  };
  await one.ask("PUT", `/api/content-permissions/book/${book.id}`, { body: overrides });
  expect(await until(read, (found) => found === 404)).toBe(404);
  await one.ask("PUT", `/api/content-permissions/book/${book.id}`, { body: { role_permissions: [] } });
  expect(await until(read, (found) => found === 200)).toBe(200);
  await one.ask("PUT", `/api/roles/${cid.role}`, { body: { permissions: ["access-api"] } });
  expect(await until(read, (found) => found === 404)).toBe(404);
});

test("a server whose listening connection is silent answers neither a revoked token nor a hidden book from its caches", async () => {
  const late = await bootTestRuntime({ env, extra: [worker("late")], beside: one, maxNoticeAgeMs: 1_000 });
  await late.runtime.start();
  const [eve, fay] = [
    await one.person("Eve", ["access-api"]),
    await one.person("Fay", ["access-api", "book-view-all"]),
  ];
  const { body: book } = await one.ask("POST", "/api/books", { body: { name: "Hidden" } });
  const { body: tokens } = await one.ask("GET", `/api/users/${eve.id}/tokens`);
  const status = async (path: string, as: string) => (await late.ask("GET", path, { as })).status;
  const seen = async () => [await status("/api/books", eve.token), await status(`/api/books/${book.id}`, fay.token)];
  const listeners = () => one.store.sql<{ pid: number }[]>`select pid from pg_stat_activity
    where datname = current_database() and query like 'listen %' order by pid`;
  expect([await seen(), await seen()]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const stopped = [...(await listeners())];
  for (const { pid } of stopped) process.kill(pid, "SIGSTOP");
  try {
    const overrides = {
      role_permissions: [{ role_id: fay.role, view: false, create: false, update: false, delete: false }],
    };
    await one.ask("PUT", `/api/content-permissions/book/${book.id}`, { body: overrides });
    await one.ask("DELETE", `/api/users/${eve.id}/tokens/${tokens.data[0].id}`);
    await until(seen, (found) => Bun.deepEquals(found, [401, 404]));
    // No connection was replaced, which would have emptied the caches.
    expect([...(await listeners())]).toEqual(stopped);
  } finally {
    for (const { pid } of stopped) process.kill(pid, "SIGCONT");
  }
  await late.stop();
});

test("each job is run once, by either", async () => {
  const contexts = [one, two].map((runtime) => runtime.contexts.get("two-worker"));
  for (let n = 0; n < 60; n++) await contexts[n % 2]?.jobs.enqueue("two-work", { n });
  await until(
    () => done.length,
    (count) => count >= 60,
  );
  for (const { runtime } of [one, two]) await runtime.jobs.drain();
  const numbers = done.map((line) => Number(line.split(" ")[0]));
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n));
});

test("a schedule runs once per interval over both servers", async () => {
  const from = ticks.length;
  // Each job wakes both servers at the same moment, and both look for what is due.
  await until(
    async () => {
      await one.contexts.get("two-worker")?.jobs.enqueue("two-work", { n: 0 });
      await Bun.sleep(20);
      return ticks.length;
    },
    (count) => count >= from + 4,
  );
  const gaps = ticks
    .slice(from, from + 4)
    .map((at, index, all) => (index === 0 ? INTERVAL_MS : at - (all[index - 1] ?? 0)));
  expect(Math.min(...gaps)).toBeGreaterThan(INTERVAL_MS / 2);
});

test("a webhook created on one server is called once for an event on the other", async () => {
  const chat = openReceiver();
  await one.ask("POST", "/api/webhooks", { body: { name: "Chat", endpoint: chat.url, events: ["book_create"] } });
  await until(
    async () => {
      await two.ask("POST", "/api/books", { body: { name: "Told of" } });
      return chat.received.length;
    },
    (count) => count > 0,
  );
  const { body } = await two.ask("POST", "/api/books", { body: { name: "The last" } });
  await webhooksIdle(two);
  const calls = distinctCalls(chat.received).filter(({ json }) => json.related_item.id === body.id);
  expect(calls).toHaveLength(1);
  await chat.stop();
});

test("servers that share limits count together, and each window ends", async () => {
  const [here, there] = await Promise.all(
    [one, two].map((beside) =>
      bootTestRuntime({ env: { ...env, API_REQUESTS_PER_MIN: String(LIMIT), DASHBOARD_RATE_LIMIT_MAX: "2" }, beside }),
    ),
  );
  if (!here || !there) throw new Error("No runtimes");
  const { token } = await one.person("Dee", ["access-api"]);
  const left: (string | null)[] = [];
  for (let at = 0; at < LIMIT + 1; at++) {
    const { status, headers } = await (at % 2 ? here : there).ask("GET", "/api/system", { as: token });
    left.push(`${status} ${headers.get("x-ratelimit-remaining")}`);
  }
  expect(left).toEqual(["200 4", "200 3", "200 2", "200 1", "200 0", "429 0"]);
  const polls = [];
  for (const runtime of [here, there, here]) polls.push((await runtime.ask("GET", "/api/v1/dashboard/stats")).status);
  expect(polls).toEqual([401, 401, 429]);
  await here.db
    .updateTable("rate_windows" as never)
    .set({ ends_at: new Date(0).toISOString() } as never)
    .execute();
  expect((await here.ask("GET", "/api/system", { as: token })).headers.get("x-ratelimit-remaining")).toBe("4");
  await here.stop();
  await there.stop();
});
