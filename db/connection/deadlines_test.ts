import { expect, test } from "bun:test";
import { type AnswerDeadlineOptions, AnswerDeadlines } from "./deadlines.ts";

const SOON_MS = 30;
const LONG_MS = 600_000;

/** Deadlines that note when one is exceeded. */
function noting(options: AnswerDeadlineOptions = {}) {
  const exceeded = Promise.withResolvers<void>();
  let times = 0;
  const deadlines = new AnswerDeadlines(options, () => {
    times += 1;
    exceeded.resolve();
  });
  return { deadlines, exceeded: exceeded.promise, times: () => times };
}

test("a deadline without an answer is reported, also behind later ones and those that were met", async () => {
  const { deadlines, exceeded, times } = noting();
  deadlines.begin(LONG_MS);
  deadlines.begin(1)();
  deadlines.begin(SOON_MS);
  await exceeded;
  expect(times()).toBe(1);
  deadlines.end();
});

test("a deadline that is met, has no limit, or ended with its connection is not reported", async () => {
  const { deadlines, times } = noting();
  deadlines.begin(0);
  deadlines.begin(SOON_MS)();
  deadlines.begin(SOON_MS);
  deadlines.end();
  await Bun.sleep(3 * SOON_MS);
  expect(times()).toBe(0);
});

test("a server that answers no probe is reported long before a long deadline, one that does is probed again", async () => {
  let probes = 0;
  const probed = noting({ suspectMs: () => SOON_MS, isAnswering: async () => ++probes < 3 });
  probed.deadlines.begin(LONG_MS);
  await probed.exceeded;
  expect([probes, probed.times()]).toEqual([3, 1]);
  probed.deadlines.end();
});

test("no statement is probed whose own deadline is near, or that was answered meanwhile", async () => {
  let probes = 0;
  const answer = Promise.withResolvers<boolean>();
  const isAnswering = () => {
    probes += 1;
    return answer.promise;
  };
  const { deadlines, exceeded, times } = noting({ suspectMs: () => SOON_MS, isAnswering });
  // Twice the time before a probe is still near.
  deadlines.begin(2 * SOON_MS);
  await exceeded;
  expect(probes).toBe(0);
  const met = noting({ suspectMs: () => SOON_MS, isAnswering });
  const meet = met.deadlines.begin(LONG_MS);
  while (probes === 0) await Bun.sleep(1);
  meet();
  answer.resolve(false);
  await Bun.sleep(1);
  expect([times(), met.times()]).toEqual([1, 0]);
  met.deadlines.end();
  deadlines.end();
});
