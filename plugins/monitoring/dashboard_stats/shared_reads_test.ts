import { expect, test } from "bun:test";
import { until } from "../../../test/support/harness/until.ts";
import { cacheFor, coalesce } from "./shared_reads.ts";

test("callers during a run share the next one, and never the running one", async () => {
  const runs: PromiseWithResolvers<number>[] = [];
  const read = coalesce(() => {
    runs.push(Promise.withResolvers<number>());
    return (runs.at(-1) as PromiseWithResolvers<number>).promise;
  }, 1_000);
  const first = read();
  await Bun.sleep(0);
  const later = [read(), read(), read()];
  await Bun.sleep(0);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(1);
  expect(await first).toBe(1);
  await Bun.sleep(0);
  expect(runs).toHaveLength(2);
  runs[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});

test("a run that fails or takes too long fails only for its own callers", async () => {
  let n = 0;
  const read = coalesce(async () => {
    n += 1;
    if (n === 1) throw new Error("broken");
    if (n === 2) await Bun.sleep(50);
    return n;
  }, 10);
  const failure = (run: Promise<number>) => run.then(String, (error: Error) => error.message);
  expect(await Promise.all([failure(read()), failure(read())])).toEqual(["broken", "broken"]);
  expect(await failure(read())).toContain("no answer in 10 ms");
  await Bun.sleep(60);
  expect(await read()).toBe(3);
});

test("while a run hangs no other starts, and its callers time out", async () => {
  let runs = 0;
  const stalled = Promise.withResolvers<number>();
  const read = coalesce(() => {
    runs += 1;
    return stalled.promise;
  }, 10);
  for (let n = 0; n < 5; n++)
    expect(await read().catch((error: Error) => error.message)).toContain("no answer in 10 ms");
  expect(runs).toBe(1);
  stalled.resolve(7);
  expect(await read()).toBe(7);
});

test("results are cached for the given time, and not at all by default", async () => {
  let n = 0;
  const count = async () => ++n;
  const kept = cacheFor(200, count);
  expect([await kept(), await kept()]).toEqual([1, 1]);
  expect(await until(kept, (found) => found !== 1)).toBe(2);
  expect(cacheFor(0, count)).toBe(count);
});
