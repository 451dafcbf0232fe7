import { expect, test } from "bun:test";
import { inTime } from "./time.ts";

test("work that ends in time resolves, and its failure is passed on", async () => {
  expect(await inTime(1_000, Promise.resolve(7))).toBe(7);
  await expect(inTime(1_000, Promise.reject(new Error("its own")))).rejects.toThrow("its own");
});

test("work that takes longer is undefined, and its later failure disturbs nobody", async () => {
  const work = Promise.withResolvers<number>();
  // The timer of `inTime` keeps no process running.
  const [ended] = await Promise.all([inTime(5, work.promise), Bun.sleep(10)]);
  expect(ended).toBeUndefined();
  work.reject(new Error("too late"));
  await expect(work.promise).rejects.toThrow("too late");
});
