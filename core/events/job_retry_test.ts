import { expect, test } from "bun:test";
import { type JobOptions, jobOptions, pauseAfter } from "./job_retry.ts";

const HOUR = 3_600_000;

test.each<[string, JobOptions["pauseMs"], number[]]>([
  ["by default", undefined, [1_000, 4_000, 16_000, 64_000]],
  ["with a first pause", { first: 500 }, [500, 2_000, 8_000, 32_000]],
  ["with a factor", { factor: 1 }, [1_000, 1_000, 1_000, 1_000]],
  ["up to a maximum", { first: 10, factor: 10, max: 500 }, [10, 100, 500, 500]],
  ["of a function", (attempt) => attempt * 7, [7, 14, 21, 28]],
  ["of a function without sense", (attempt) => (attempt > 1 ? Number.NaN : -1), [1_000, 4_000, 16_000, 64_000]],
  [
    "of a function that throws",
    () => {
      throw new Error("no idea");
    },
    [1_000, 4_000, 16_000, 64_000],
  ],
])("the pauses of a job, %s", (_title, pauseMs, expected) => {
  const options = jobOptions("test", pauseMs === undefined ? {} : { pauseMs });
  expect([1, 2, 3, 4].map((attempt) => pauseAfter(options, attempt))).toEqual(expected);
});

test("pauses end at an hour, those of a function at 30 days", () => {
  expect(pauseAfter(jobOptions("test", {}), 40)).toBe(HOUR);
  expect(pauseAfter(jobOptions("test", { pauseMs: () => Number.MAX_SAFE_INTEGER }), 1)).toBe(720 * HOUR);
});

test("a job may have one try, and a lease of a millisecond; fewer, and parts of one, are refused", () => {
  expect(jobOptions("test", { tries: 1, leaseMs: 1, pauseMs: { first: 0 } })).toMatchObject({ tries: 1, leaseMs: 1 });
  for (const options of [{ tries: 0 }, { tries: 1.5 }, { leaseMs: 0 }, { tries: Number.NaN }])
    expect(() => jobOptions("test", options)).toThrow(
      /Cannot handle the job "test": "(?:tries|leaseMs)" is .*, wanted a whole number from 1/,
    );
  for (const first of [-1, Number.POSITIVE_INFINITY])
    expect(() => jobOptions("test", { pauseMs: { first } })).toThrow(
      /"first" of "pauseMs" is .*, wanted a number from 0/,
    );
});
