import { expect, test } from "bun:test";
import type { TransactionControl } from "../../db/mod.ts";
import { stopCounting } from "../std/countdown.ts";
import { GivenUp, TransactionWatch } from "./transaction_watch.ts";

const LIMITS = { quietMs: 100, attendedMs: 1_000 };
const PART = { plugin: "slow", place: "veto of book_create", limitMs: 10_000 };

/** A watch of a part, and what becomes of it once these many milliseconds have passed. */
function watched(
  run: (watch: TransactionWatch) => Promise<unknown>,
  control?: Partial<TransactionControl>,
): { after: (ms: number) => Promise<unknown> } {
  const watch = new TransactionWatch(LIMITS, control as TransactionControl | undefined);
  const ended = watch
    .run(() => {
      watch.enter(PART);
      return run(watch);
    })
    .catch((error: unknown) => error);
  // Only the time that a test says passes.
  stopCounting(watch);
  return {
    async after(ms) {
      watch.passed(ms);
      return Promise.race([ended, Promise.resolve("running")]);
    },
  };
}

const never = () => new Promise<never>(() => {});

test("a part in which nothing happens is given up, and named", async () => {
  const { after } = watched(never);
  expect(await after(99)).toBe("running");
  await after(1);
  const error = await after(0);
  expect(error).toBeInstanceOf(GivenUp);
  expect(error).toMatchObject({ part: PART, message: "Nothing happened in it for 100 ms" });
});

test("statements are signs of life: one that runs, and those that were sent meanwhile", async () => {
  const control = { isBusy: true, sent: 0 };
  const { after } = watched(never, control);
  expect(await after(500)).toBe("running");
  control.isBusy = false;
  expect(await after(60)).toBe("running");
  control.sent = 1;
  expect(await after(60)).toBe("running");
  expect(await after(60)).toBe("running");
  await after(60);
  expect(await after(0)).toBeInstanceOf(GivenUp);
});

test("what has limits of its own has longer, and its result", async () => {
  const answer = Promise.withResolvers<string>();
  const { after } = watched(async (watch) => [await watch.attend(() => answer.promise), await never()]);
  expect(await after(999)).toBe("running");
  answer.resolve("done");
  await Bun.sleep(0);
  // From now on the common limit counts again.
  expect(await after(99)).toBe("running");
  await after(1);
  expect(await after(0)).toBeInstanceOf(GivenUp);
  const quick = watched((watch) => watch.attend(async () => "done"));
  await Bun.sleep(0);
  expect(await quick.after(0)).toBe("done");
});
