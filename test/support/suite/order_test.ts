import { expect, test } from "bun:test";
import { inOrder, updatedTimings } from "./order.ts";

const SHORT = Array.from({ length: 30 }, (_, at) => `short_${at}_test.ts`);

test("files that take long begin, the slowest first, whatever the seed", () => {
  const timings = { "b_test.ts": 9_000, "a_test.ts": 60_000, "c_test.ts": 20_000, "short_0_test.ts": 100 };
  for (const seed of [1, 2, 3]) {
    const order = inOrder(["b_test.ts", ...SHORT, "c_test.ts", "a_test.ts"], timings, seed);
    expect(order.slice(0, 3)).toEqual(["a_test.ts", "c_test.ts", "b_test.ts"]);
    expect(order.slice(3).sort()).toEqual([...SHORT].sort());
  }
});

test("a seed gives one order of the others, and each seed another", () => {
  expect(inOrder(SHORT, {}, 7)).toEqual(inOrder([...SHORT].reverse(), {}, 7));
  expect(inOrder(SHORT, {}, 7)).not.toEqual(inOrder(SHORT, {}, 8));
});

test("timings keep what is near, take what differs and is new, and forget files that are gone", () => {
  const before = { "near_test.ts": 1000, "slow_test.ts": 1000, "gone_test.ts": 1000, "left_out_test.ts": 5 };
  const measured = { "near_test.ts": 1100, "slow_test.ts": 4000.4, "new_test.ts": 300 };
  const paths = ["near_test.ts", "slow_test.ts", "new_test.ts", "left_out_test.ts", "unknown_test.ts"];
  expect(updatedTimings(before, measured, paths)).toEqual({
    "near_test.ts": 1000,
    "slow_test.ts": 4000,
    "new_test.ts": 300,
    "left_out_test.ts": 5,
  });
});
