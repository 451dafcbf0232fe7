import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, JobFailure, SYSTEM, sql } from "lectern/core";
import { rows, type Store } from "lectern/db";
import { JobQueue } from "../../core/events/job_queue.ts";
import { CHANNEL } from "../../core/job_store.ts";
import { createLog } from "../../core/log.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

declare module "lectern/core" {
  interface Events {
    test_order: { draft: { tag: string; fails: boolean }; result: { tag: string } };
  }
  interface Jobs {
    test_flaky: { failures: number; tag: string };
    test_slow: { tag: string };
    test_gone: { address: string };
    test_patient: { tag: string };
  }
}

const done: string[] = [];
let failuresLeft = 0;
/** Performs an event that enqueues a job in its transaction. */
let order: (tag: string, fails?: boolean) => Promise<unknown>;
const worker = definePlugin({
  name: "test-worker",
  events: ["test_order"],
  grants: { system: true },
  setup({ jobs, perform }) {
    order = (tag, fails = false) =>
      perform("test_order", SYSTEM, { tag, fails }, async (draft, tx) => {
        await tx.enqueue("test_slow", { tag: draft.tag });
        if (draft.fails) throw new Error("no longer wanted");
        return draft;
      });
    jobs.handle(
      "test_flaky",
      async ({ tag }, { attempt }) => {
        if (failuresLeft-- > 0) throw new Error("not yet");
        done.push(`${tag} at try ${attempt}`);
      },
      { tries: 3 },
    );
    jobs.handle("test_gone", async ({ address }) => {
      throw new JobFailure(`There is no ${address}`);
    });
    jobs.handle(
      "test_patient",
      async () => {
        throw new Error("not yet");
      },
      { pauseMs: (attempt) => attempt * 600_000 },
    );
    jobs.handle("test_slow", async ({ tag }) => void done.push(tag), { leaseMs: 50 });
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [worker] });
});
afterAll(() => runtime.stop());

function makeDue(): Promise<unknown> {
  return sql`update jobs set run_at = now(), leased_until = null where not dead`.execute(runtime.db);
}

test("a job is done once and leaves no row", async () => {
  await runtime.runtime.jobs.enqueue(runtime.db, "test_slow", { tag: "one" });
  await runtime.runtime.jobs.drain();
  expect(done).toEqual(["one"]);
  expect(await rows(runtime.db, sql`select 1 from jobs`)).toEqual([]);
});

test("a job that fails is tried again later, and kept as dead after its last try", async () => {
  done.length = 0;
  failuresLeft = 1;
  await runtime.runtime.jobs.enqueue(runtime.db, "test_flaky", { failures: 1, tag: "flaky" });
  await runtime.runtime.jobs.drain();
  expect(done).toEqual([]);
  await makeDue();
  await runtime.runtime.jobs.drain();
  expect(done).toEqual(["flaky at try 2"]);

  failuresLeft = 99;
  await runtime.runtime.jobs.enqueue(runtime.db, "test_flaky", { failures: 99, tag: "never" });
  for (let attempt = 0; attempt < 4; attempt++) {
    await runtime.runtime.jobs.drain();
    await makeDue();
  }
  const left = await rows<{ attempts: number; dead: boolean; last_error: string }>(
    runtime.db,
    sql`select attempts, dead, last_error from jobs`,
  );
  expect(left).toEqual([{ attempts: 3, dead: true, last_error: "not yet" }]);
  await sql`delete from jobs`.execute(runtime.db);
});

test("a job that fails for good is not tried again", async () => {
  await runtime.runtime.jobs.enqueue(runtime.db, "test_gone", { address: "moon" });
  await runtime.runtime.jobs.drain();
  const left = await rows(
    runtime.db,
    sql`select attempts, dead, last_error, run_at <= now() as past from jobs where name = 'test_gone'`,
  );
  expect(left).toEqual([{ attempts: 1, dead: true, last_error: "There is no moon", past: true }]);
  await sql`delete from jobs`.execute(runtime.db);
});

test("a job waits between tries as its policy says", async () => {
  await runtime.runtime.jobs.enqueue(runtime.db, "test_patient", { tag: "wait" });
  for (const minutes of [10, 20]) {
    await runtime.runtime.jobs.drain();
    const [job] = await rows<{ minutes: number }>(
      runtime.db,
      sql`select round(extract(epoch from run_at - now()) / 60)::integer as minutes from jobs`,
    );
    expect(job?.minutes).toBe(minutes);
    await makeDue();
  }
  await sql`delete from jobs`.execute(runtime.db);
});

test("a job whose process died is done by another when its lease ends", async () => {
  done.length = 0;
  await runtime.runtime.jobs.enqueue(runtime.db, "test_slow", { tag: "orphan" });
  await sql`update jobs set attempts = 1, leased_until = now() + interval '1 hour'`.execute(runtime.db);
  await runtime.runtime.jobs.drain();
  expect(done).toEqual([]);
  await sql`update jobs set leased_until = now() - interval '1 millisecond'`.execute(runtime.db);
  await runtime.runtime.jobs.drain();
  expect(done).toEqual(["orphan"]);
});

test("a job with a key waits only once, and one written in an undone transaction never exists", async () => {
  done.length = 0;
  const { jobs } = runtime.runtime;
  await jobs.enqueue(runtime.db, "test_slow", { tag: "same" }, { key: "k" });
  await jobs.enqueue(runtime.db, "test_slow", { tag: "same" }, { key: "k" });
  const undone = runtime.db.transaction().execute(async (tx) => {
    await jobs.enqueue(tx, "test_slow", { tag: "undone" });
    throw new Error("changed my mind");
  });
  await expect(undone).rejects.toThrow("changed my mind");
  await jobs.drain();
  expect(done).toEqual(["same"]);
});

test("a job of an event is done once the event is committed, and never where that is undone", async () => {
  done.length = 0;
  await order("ordered");
  await expect(order("undone", true)).rejects.toThrow("no longer wanted");
  await runtime.runtime.jobs.drain();
  expect(done).toEqual(["ordered"]);
});

test("each server is told of a job when it is committed, and need not look for it", async () => {
  const heard = Promise.withResolvers<void>();
  const stop = await runtime.store.listen(CHANNEL, { onNotify: () => heard.resolve() });
  await order("heard");
  await heard.promise;
  await stop();
  await runtime.runtime.jobs.drain();
});

test("without notifications a job waits a few seconds", async () => {
  const silent: Store = { ...runtime.store, listen: async () => async () => {} };
  const queue = new JobQueue(silent, createLog("silent"), 10_000);
  const ran = Promise.withResolvers<number>();
  queue.handle("test_flaky", async () => ran.resolve(performance.now()));
  await queue.start();
  // The looks of the start have found nothing.
  await Bun.sleep(2_000);
  const at = performance.now();
  await queue.enqueue(runtime.db, "test_flaky", { failures: 0, tag: "unheard" });
  expect((await ran.promise) - at).toBeLessThan(5_000 + scaled(1_000));
  await queue.stop();
});

test("a loss of the notifications is followed by a look within seconds", async () => {
  let lose = () => {};
  let isLost = false;
  const losing: Store = {
    ...runtime.store,
    listen: (channel, { onNotify, onLoss, onReturn }) => {
      lose = () => {
        isLost = true;
        onLoss?.();
      };
      return runtime.store.listen(channel, {
        onNotify: (text) => isLost || onNotify(text),
        ...(onReturn && { onReturn }),
      });
    },
  };
  const queue = new JobQueue(losing, createLog("silent"), 10_000);
  const ran = Promise.withResolvers<number>();
  queue.handle("test_flaky", async () => ran.resolve(performance.now()));
  await queue.start();
  // The look of the start is heard: the next one would come a minute later.
  await Bun.sleep(7_000);
  lose();
  const at = performance.now();
  await queue.enqueue(runtime.db, "test_flaky", { failures: 0, tag: "lost" });
  expect((await ran.promise) - at).toBeLessThan(5_000 + scaled(1_000));
  await queue.stop();
}, 30_000);

test("a job without a handler is refused when it is enqueued", async () => {
  await expect(runtime.runtime.jobs.enqueue(runtime.db, "test_nobody", {})).rejects.toThrow(
    'Cannot enqueue "test_nobody": no plugin handles this job',
  );
});
