import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Cached, definePlugin, SYSTEM } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

declare module "lectern/core" {
  interface Events {
    test_forget: { draft: { key: string; fails: boolean }; result: { key: string } };
  }
}

let loads: string[] = [];
let cached: Cached<string>;
/** What a load waits for after it was counted. */
let loading: Promise<void> = Promise.resolve();
const keeper = definePlugin({
  name: "test-keeper",
  events: ["test_forget"],
  setup({ cache }) {
    cached = cache.values("values", async (key) => {
      loads.push(key);
      const value = `${key} ${loads.length}`;
      await loading;
      return value;
    });
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [keeper] });
});
afterAll(() => runtime.stop());

function forget(key: string, fails = false): Promise<unknown> {
  return runtime.runtime.bus.perform("test_forget", SYSTEM, { key, fails }, async (draft, tx) => {
    await cached.forget(tx, draft.key);
    if (draft.fails) throw new Error("undone");
    return draft;
  });
}

test("a value is loaded once, and again after the commit that changes it", async () => {
  loads = [];
  expect([await cached.get("a"), await cached.get("a")]).toEqual(["a 1", "a 1"]);
  await forget("a");
  expect(await cached.get("a")).toBe("a 2");
});

test("a change that is undone forgets nothing", async () => {
  loads = [];
  await cached.get("b");
  await expect(forget("b", true)).rejects.toThrow("undone");
  await cached.get("b");
  expect(loads).toEqual(["b"]);
});

test("a value that was loaded before a commit that changes it, and came after it, is not kept", async () => {
  loads = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  loading = promise;
  const early = cached.get("d");
  await until(() => loads.length === 1);
  await forget("d");
  resolve();
  expect(await early).toBe("d 1");
  expect([await cached.get("d"), await cached.get("d")]).toEqual(["d 2", "d 2"]);
});

test("nothing is cached while notifications are lost, so that no process uses stale values", async () => {
  loads = [];
  await cached.get("c");
  await runtime.store
    .sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()`;
  await until(async () => (await cached.get("c")) !== "c 1");
  expect(loads.length).toBeGreaterThan(1);
  // Connected again: values are cached as before.
  await until(async () => {
    const [first, second] = [await cached.get("c"), await cached.get("c")];
    return first === second;
  });
});
