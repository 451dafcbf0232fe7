import { expect, test } from "bun:test";
import { coalesced, hasTag, keptFor } from "./statistics.ts";

test("whoever asks during a run shares the next one, and never the running one", async () => {
  const runs: PromiseWithResolvers<number>[] = [];
  const ask = coalesced(() => {
    runs.push(Promise.withResolvers<number>());
    return (runs.at(-1) as PromiseWithResolvers<number>).promise;
  }, 1_000);
  const first = ask();
  await Bun.sleep(0);
  const later = [ask(), ask(), ask()];
  await Bun.sleep(0);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(1);
  expect(await first).toBe(1);
  await Bun.sleep(0);
  expect(runs).toHaveLength(2);
  runs[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});

test("a run that fails or takes too long fails for its own callers alone", async () => {
  let n = 0;
  const ask = coalesced(async () => {
    n += 1;
    if (n === 1) throw new Error("broken");
    if (n === 2) await Bun.sleep(50);
    return n;
  }, 10);
  const failure = (run: Promise<number>) => run.then(String, (error: Error) => error.message);
  expect(await Promise.all([failure(ask()), failure(ask())])).toEqual(["broken", "broken"]);
  expect(await failure(ask())).toContain("no answer in 10 ms");
  await Bun.sleep(60);
  expect(await ask()).toBe(3);
});

test("while a run hangs no other begins, and who waits is told in time", async () => {
  let runs = 0;
  const dependents = Promise.withResolvers<number>();
  const ask = coalesced(() => {
    runs += 1;
    return dependents.promise;
  }, 10);
  for (let n = 0; n < 5; n++)
    expect(await ask().catch((error: Error) => error.message)).toContain("no answer in 10 ms");
  expect(runs).toBe(1);
  dependents.resolve(7);
  expect(await ask()).toBe(7);
});

test("numbers are kept for as long as was asked, and not at all by default", async () => {
  let n = 0;
  const read = async () => ++n;
  const kept = keptFor(30, read);
  expect([await kept(), await kept()]).toEqual([1, 1]);
  await Bun.sleep(40);
  expect(await kept()).toBe(2);
  expect(keptFor(0, read)).toBe(read);
});

test("a tag is found in any list, weak or strong", () => {
  for (const header of ['W/"a"', '"a"', '"b", W/"a"', "*"]) expect(hasTag(header, 'W/"a"')).toBe(true);
  for (const header of [null, "", '"b"', "a"]) expect(hasTag(header, 'W/"a"')).toBe(false);
});
