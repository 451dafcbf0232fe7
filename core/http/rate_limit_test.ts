import { expect, test } from "bun:test";
import { memoryLimiter } from "./rate_limit.ts";

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

test("counts are exact over many keys and windows", () => {
  let now = 1_000_000;
  const limiter = memoryLimiter(1_000, 60_000, () => now);
  const wrong: string[] = [];
  for (let window = 0; window < 5; window++) {
    for (let time = 1; time <= 3; time++) {
      for (let key = 0; key < 30_000; key++)
        if (limiter.take(`address ${key}`).remaining !== 1_000 - time) wrong.push(`${window} ${time} ${key}`);
      now += 19_000;
    }
    now += 3_000;
  }
  expect(wrong).toEqual([]);
});

test("many new addresses do not reset the count of one that keeps sending requests", () => {
  const limiter = memoryLimiter(10, 60_000, () => 0, 1_000);
  for (let n = 0; n < 5_000; n++) {
    limiter.take(`address ${n}`);
    if (n % 400 === 0) limiter.take("viewer 1");
  }
  expect(limiter.take("viewer 1").exceeded).toBe(true);
});
