import { expect, test } from "bun:test";
import { Batch } from "./batch.ts";

test("callers share runs, and each gets one that began after its call", async () => {
  const ends: ((error?: Error) => void)[] = [];
  const batch = new Batch(
    () => new Promise((resolve, reject) => void ends.push((error) => (error ? reject(error) : resolve()))),
  );
  const first = batch.run();
  const [second, third] = [batch.run(), batch.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.(new Error("failed"));
  expect(first).rejects.toThrow("failed");
  await Bun.sleep(0);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await Promise.all([second, third]);
  expect(ends).toHaveLength(2);
});
