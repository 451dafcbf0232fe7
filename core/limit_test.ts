import { expect, test } from "bun:test";
import { memoryLimiter } from "./limit.ts";

test("take() counts down within a window and opens a new one after it", () => {
  let now = 1_000_000;
  const limiter = memoryLimiter(2, 60_000, () => now);
  expect(limiter.take("a")).toEqual({ limit: 2, remaining: 1, resetsAt: 1060, exceeded: false });
  expect(limiter.take("a").exceeded).toBe(false);
  expect(limiter.take("a")).toMatchObject({ remaining: 0, exceeded: true });
  expect(limiter.take("b").exceeded).toBe(false);
  now += 60_000;
  expect(limiter.take("a")).toMatchObject({ remaining: 1, exceeded: false });
});
