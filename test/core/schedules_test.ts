import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { Schedules } from "../../core/events/schedules.ts";
import { createLog } from "../../core/log.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

/** The schedules of one process. */
function process(timing?: ConstructorParameters<typeof Schedules>[3]) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog("info", (line) => void lines.push(JSON.parse(line) as Record<string, unknown>));
  return { lines, schedules: new Schedules(runtime.store, log, 10_000, timing) };
}

const add = (schedules: Schedules, plugin: string, everyMs: number, run: () => Promise<void>) =>
  schedules.add({ name: `${plugin}:tick`, plugin, everyMs, run });

test("a schedule of one second keeps its interval while another one takes long and a third one fails", async () => {
  const { schedules, lines } = process();
  const ticks: number[] = [];
  let slow = 0;
  let most = 0;
  add(schedules, "steady", 1_000, async () => void ticks.push(performance.now()));
  add(schedules, "slow", 100, async () => {
    most = Math.max(most, ++slow);
    await Bun.sleep(1_500);
    slow--;
  });
  add(schedules, "broken", 300, () => {
    throw new Error("no paper");
  });
  const started = performance.now();
  await schedules.start();
  await until(() => ticks.length === 5);
  await schedules.stop();
  // The first run is an interval after the start.
  const seconds = ((ticks[4] ?? 0) - started) / 1_000;
  expect(seconds).toBeGreaterThan(4.5);
  expect(seconds).toBeLessThan(scaled(5.9));
  expect(most).toBe(1);
  const failures = lines.filter(({ message }) => message === "A schedule failed");
  expect(failures.length).toBeGreaterThan(5);
  expect(failures[0]).toMatchObject({ plugin: "broken", schedule: "broken:tick", error: { message: "no paper" } });
}, 60_000);

test("a schedule that is first at once runs when it is stored, and at a later start only if it is due", async () => {
  const first = process().schedules;
  let runs = 0;
  const hourly = (schedules: Schedules, everyMs: number) =>
    schedules.add({ name: "early:tick", plugin: "early", everyMs, isFirstAtOnce: true, run: async () => void runs++ });
  hourly(first, 3_600_000);
  await first.start();
  await until(() => runs === 1);
  await first.stop();
  const dueAt = async () => {
    const [row] = await rows<{ minutes: number }>(
      runtime.store.db,
      sql`select round(extract(epoch from next_at - now()) / 60)::integer as minutes from schedules where name = 'early:tick'`,
    );
    return row?.minutes;
  };
  expect(await dueAt()).toBe(60);
  const second = process().schedules;
  hourly(second, 600_000);
  await second.start();
  await second.stop();
  // A shorter interval counts from the start.
  expect([runs, await dueAt()]).toEqual([1, 10]);
}, 60_000);

test("stop waits for a run, and none begins after it", async () => {
  const { schedules } = process();
  const events: string[] = [];
  add(schedules, "ending", 50, async () => {
    events.push("begun");
    await Bun.sleep(300);
    events.push("ended");
  });
  await schedules.start();
  await until(() => events.length === 1);
  await schedules.stop();
  expect(events).toEqual(["begun", "ended"]);
  await Bun.sleep(200);
  expect(events).toEqual(["begun", "ended"]);
}, 60_000);

test("a run that outlasts its lease is not begun by another process", async () => {
  const leaseMs = scaled(300);
  const timing = { leaseMs, longestWaitMs: 100, runMaxMs: 60_000 };
  const both = [process(timing).schedules, process(timing).schedules];
  let running = 0;
  let most = 0;
  let done = 0;
  for (const schedules of both)
    add(schedules, "shared", 50, async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(4 * leaseMs);
      running--;
      done++;
    });
  for (const schedules of both) await schedules.start();
  await until(() => done >= 2);
  await Promise.all(both.map((schedules) => schedules.stop()));
  expect(most).toBe(1);
}, 60_000);

test("a run that never ends is given up and named, and the next one begins", async () => {
  const { schedules, lines } = process({ leaseMs: scaled(300), longestWaitMs: 50, runMaxMs: 100 });
  let runs = 0;
  add(schedules, "stuck", 50, async () => {
    runs += 1;
    if (runs === 1) await new Promise<never>(() => {});
  });
  await schedules.start();
  await until(() => runs > 1);
  await schedules.stop();
  expect(lines[0]).toMatchObject({
    ...{ level: "error", plugin: "stuck", schedule: "stuck:tick" },
    error: { message: "Its run did not end within 100 ms" },
  });
}, 60_000);

test("a schedule whose process died runs again when its lease ends", async () => {
  const { schedules } = process();
  let runs = 0;
  add(schedules, "orphan", 60_000, async () => void runs++);
  await rows(
    runtime.db,
    sql`insert into schedules (name, next_at, leased_until)
      values ('orphan:tick', now() - interval '1 hour', now() + interval '500 milliseconds')`,
  );
  await schedules.start();
  await until(() => runs === 1);
  await schedules.stop();
  const [row] = await rows<{ next: boolean; free: boolean }>(
    runtime.db,
    sql`select next_at > now() as next, leased_until is null as free from schedules where name = 'orphan:tick'`,
  );
  expect(row).toEqual({ next: true, free: true });
}, 60_000);

test("an interval that has become shorter holds at once", async () => {
  await rows(runtime.db, sql`insert into schedules (name, next_at) values ('shorter:tick', now() + interval '1 day')`);
  const { schedules } = process();
  let runs = 0;
  add(schedules, "shorter", 100, async () => void runs++);
  await schedules.start();
  await until(() => runs > 0);
  await schedules.stop();
}, 60_000);
