import { expect, test } from "bun:test";
import { withinTime } from "./within_time.ts";

test("work that ends in time resolves, and its errors are passed on", async () => {
  expect(await withinTime(1_000, async () => 7)).toBe(7);
  await expect(withinTime(1_000, () => Promise.reject(new Error("its own")))).rejects.toThrow("its own");
});

test("work that takes longer is given up, and its signal aborts", async () => {
  let signal: AbortSignal | undefined;
  const endless = withinTime(5, (given) => {
    signal = given;
    return new Promise(() => {});
  });
  await expect(endless).rejects.toThrow("longer than 5 milliseconds");
  expect(signal?.aborted).toBe(true);
});
