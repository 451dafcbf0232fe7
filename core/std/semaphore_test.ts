import { expect, test } from "bun:test";
import { ApiError } from "../errors.ts";
import { Semaphore } from "./semaphore.ts";

const busy = () => new ApiError(503, "Try again later.");
const queue = { maxWaiting: 2, waitMs: 10_000, busy };

test("as many run at once as fit into the weight of all, the others in the order of their calls", async () => {
  const semaphore = new Semaphore({ permits: 2, maxWeight: 100, queue });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen: string[] = [];
  const run = (name: string, until: Promise<void>) => async () => {
    seen.push(name);
    await until;
  };
  const all = [
    semaphore.run(run("large", first.promise), 60),
    semaphore.run(run("large too", second.promise), 60),
    semaphore.run(run("small", Promise.resolve()), 1),
  ];
  await Promise.resolve();
  expect(seen).toEqual(["large"]);
  first.resolve();
  await all[0];
  await all[2];
  expect(seen).toEqual(["large", "large too", "small"]);
  second.resolve();
  await Promise.all(all);
  await semaphore.run(run("beyond all", Promise.resolve()), 1_000);
  expect(seen.at(-1)).toBe("beyond all");
});

test("a caller that would wait too long, or behind too many, is refused and blocks no other", async () => {
  const semaphore = new Semaphore({ permits: 2, maxWeight: 100, queue: { ...queue, waitMs: 5 } });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = semaphore.run(() => promise, 100);
  const late = await Promise.allSettled([1, 2, 3].map((weight) => semaphore.run(async () => weight, weight)));
  for (const one of late) expect(one).toMatchObject({ status: "rejected", reason: { status: 503 } });
  resolve();
  await first;
  expect(await semaphore.run(async () => 4, 100)).toBe(4);
});

test("a run that fails releases its permit, and a permit is released once", async () => {
  const semaphore = new Semaphore({ permits: 1 });
  await expect(
    semaphore.run(async () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  const release = await semaphore.acquire();
  const next = semaphore.acquire();
  release();
  release();
  const releaseNext = await next;
  let isTaken = false;
  const third = semaphore.acquire().then(() => {
    isTaken = true;
  });
  await Promise.resolve();
  expect(isTaken).toBe(false);
  releaseNext();
  await third;
});

test("without a queue any number of callers wait, in order", async () => {
  const semaphore = new Semaphore({ permits: 1 });
  const seen: number[] = [];
  await Promise.all(Array.from({ length: 50 }, (_, at) => semaphore.run(async () => void seen.push(at))));
  expect(seen).toEqual(Array.from({ length: 50 }, (_, at) => at));
});
