/** Groups of jobs, and the order within one: nobody waits for the jobs of others, and what belongs together comes in turn. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import { claimOfAllGroups } from "../../core/job_claims.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

declare module "lectern/core" {
  interface Jobs {
    test_parcel: { to: string; n: number };
    test_letter: { to: string };
  }
}

const done: string[] = [];
const running = new Map<string, number>();
const most = new Map<string, number>();
/** What becomes of a parcel. */
let carry: (to: string, n: number, attempt: number) => Promise<{ againMs?: number } | undefined> = async () =>
  undefined;

const carrier = definePlugin({
  name: "test-carrier",
  setup({ jobs }) {
    jobs.handle(
      "test_parcel",
      async ({ to, n }, { attempt }) => {
        const now = (running.get(to) ?? 0) + 1;
        running.set(to, now);
        most.set(to, Math.max(most.get(to) ?? 0, now));
        try {
          const failed = await carry(to, n, attempt);
          done.push(`${to} ${n}${failed ? " failed" : ""}`);
          return failed;
        } finally {
          running.set(to, (running.get(to) ?? 0) - 1);
        }
      },
      { limit: 12, perGroup: 3 },
    );
    jobs.handle("test_letter", async () => {});
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [carrier] });
  await runtime.runtime.start();
});
afterAll(() => runtime.stop());
afterEach(() => {
  done.length = 0;
  most.clear();
  carry = async () => undefined;
});

const send = (to: string, n: number, order?: string) =>
  runtime.runtime.jobs.enqueue(runtime.db, "test_parcel", { to, n }, { group: to, ...(order && { order }) });

test("jobs of one order come one after the other, also where one is tried again, and others pass them", async () => {
  carry = async (to, n, attempt) => (to === "ada" && n === 0 && attempt < 3 ? { againMs: 300 } : undefined);
  for (let n = 0; n < 4; n++) await send("ada", n, "book 1");
  await send("ada", 9, "book 2");
  await send("ada", 10);
  await until(() => done.length === 8);
  const ordered = done.filter((line) => !/ (?:9|10)$/.test(line));
  expect(ordered).toEqual(["ada 0 failed", "ada 0 failed", "ada 0", "ada 1", "ada 2", "ada 3"]);
  expect(done.indexOf("ada 9")).toBeLessThan(done.indexOf("ada 0"));
});

test("a group that hangs, with any number of jobs, keeps no other waiting, and runs a few at a time", async () => {
  const opened = Promise.withResolvers<undefined>();
  carry = async (to) => (to.startsWith("slow") ? opened.promise : undefined);
  for (let n = 0; n < 30; n++) await send(`slow ${n % 3}`, n);
  await until(() => [...running.values()].reduce((sum, count) => sum + count, 0) === 3);
  for (let n = 0; n < 30; n++) await send("quick", n);
  await until(() => done.length === 30);
  expect(done.every((line) => line.startsWith("quick"))).toBe(true);
  opened.resolve(undefined);
  await until(() => done.length === 60);
  expect(Math.max(...most.values())).toBe(3);
});

test("groups whose jobs fail share a quarter of the places", async () => {
  const names = Array.from({ length: 8 }, (_, at) => `dead ${at}`);
  carry = async () => ({ againMs: 3_600_000 });
  for (const to of names) await send(to, 0);
  await until(() => done.length === names.length);
  const opened = Promise.withResolvers<undefined>();
  carry = async (to) => (to.startsWith("dead") ? opened.promise : undefined);
  for (const to of names) await send(to, 1);
  const held = () => names.filter((to) => (running.get(to) ?? 0) > 0).length;
  await until(() => held() === 3);
  for (let n = 0; n < 5; n++) await send("alive", n);
  await until(() => done.filter((line) => line.startsWith("alive")).length === 5);
  expect(held()).toBe(3);
  opened.resolve(undefined);
  await until(() => done.filter((line) => line.endsWith(" 1")).length >= names.length);
  await sql`delete from jobs`.execute(runtime.db);
});

test("groups that failed and have no more jobs take no part of the share of those that have some", async () => {
  const names = Array.from({ length: 6 }, (_, at) => `gone ${at}`);
  carry = async () => ({});
  for (const to of names) await send(to, 0);
  await until(() => done.length === names.length);
  const order = done.map((line) => line.slice(0, "gone 0".length));
  done.length = 0;
  carry = async () => undefined;
  await send(order.at(-1) ?? "", 1);
  await until(() => done.length === 1);
});

test("groups whose jobs take long share half of the places, so that others need not wait for them", async () => {
  const names = Array.from({ length: 14 }, (_, at) => `long ${at}`);
  carry = async (to) => {
    if (to.startsWith("long")) await Bun.sleep(1_200);
    return undefined;
  };
  for (const to of names) await send(to, 0);
  await until(() => done.length === names.length);
  const opened = Promise.withResolvers<undefined>();
  carry = async (to) => (to.startsWith("long") ? opened.promise : undefined);
  for (const to of names) await send(to, 1);
  const held = () => names.filter((to) => (running.get(to) ?? 0) > 0).length;
  await until(() => held() === 6);
  await Bun.sleep(1_500);
  for (let n = 0; n < 5; n++) await send("prompt", n);
  await until(() => done.filter((line) => line.startsWith("prompt")).length === 5);
  expect(held()).toBe(6);
  opened.resolve(undefined);
  await until(() => done.filter((line) => line.startsWith("long") && line.endsWith(" 1")).length === names.length);
});

test("a claim does not read all jobs that wait behind one", async () => {
  await rows(
    runtime.db,
    sql`insert into jobs (name, payload, group_key, order_key)
      select 'test_waiting', '{}', 'one', 'thing' from generate_series(1, 20000)`,
  );
  const claim = () =>
    claimOfAllGroups.execute(runtime.db, {
      name: "test_waiting",
      leaseMs: 60_000,
      free: 5,
      groups: ["one"],
      frees: [5],
      shares: [0],
      rooms: [1, 1],
    });
  expect(await claim()).toHaveLength(1);
  const started = performance.now();
  expect(await claim()).toEqual([]);
  expect(performance.now() - started).toBeLessThan(scaled(200));
  await sql`delete from jobs`.execute(runtime.db);
});

test("a group or an order is refused where the job has no limit", async () => {
  const letter = runtime.runtime.jobs.enqueue(runtime.db, "test_letter", { to: "ada" }, { order: "book 1" });
  await expect(letter).rejects.toThrow(
    'Cannot enqueue "test_letter" with a group or an order: its handler sets no "limit"',
  );
});
