import { expect, test } from "bun:test";
import type { ApiError } from "lectern/core";
import { perMinute } from "./per_minute.ts";

test("the limit is per key, and resets each minute", () => {
  let at = 59_000;
  const limit = perMinute(2, () => at);
  limit.take("a");
  limit.take("a");
  limit.take("b");
  expect(() => limit.check("a")).toThrow("Too many requests");
  expect(() => limit.check("b")).not.toThrow();
  try {
    limit.take("a");
  } catch (error) {
    expect((error as ApiError).details.headers).toEqual({ "retry-after": "1" });
  }
  at = 60_000;
  limit.take("a");
});

test("0 means no limit", () => {
  const limit = perMinute(0);
  for (let n = 0; n < 1_000; n++) limit.take("a");
  expect(() => limit.check("a")).not.toThrow();
});
