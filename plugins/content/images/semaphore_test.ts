import { expect, test } from "bun:test";
import { semaphore } from "./semaphore.ts";

const limits = { atOnce: 2, bytes: 100, waiting: 2, patience: 10_000 };

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: () => resolve() };
}

test("so many run at once as fit into the memory that is given, the others in order", async () => {
  const withPermit = semaphore(limits);
  const [first, second] = [gate(), gate()];
  const seen: string[] = [];
  const run = (name: string, until: Promise<void>) => async () => {
    seen.push(name);
    await until;
  };
  const all = [
    withPermit(60, run("large", first.promise)),
    withPermit(60, run("large too", second.promise)),
    withPermit(1, run("small", Promise.resolve())),
  ];
  expect(seen).toEqual(["large"]);
  first.open();
  await all[0];
  await all[2];
  expect(seen).toEqual(["large", "large too", "small"]);
  second.open();
  await Promise.all(all);
  await withPermit(1_000, run("beyond all", Promise.resolve()));
  expect(seen.at(-1)).toBe("beyond all");
});

test("who would wait too long is told to come again, and holds up nobody", async () => {
  const withPermit = semaphore({ ...limits, patience: 5 });
  const { promise, open } = gate();
  const busy = { status: 503, details: { headers: { "retry-after": "10" } } };
  const first = withPermit(100, () => promise);
  const late = await Promise.allSettled([1, 2, 3].map((at) => withPermit(at, async () => at)));
  for (const one of late) expect(one).toMatchObject({ status: "rejected", reason: busy });
  open();
  await first;
  expect(await withPermit(100, async () => 4)).toBe(4);
});

test("a run that fails makes way for the next", async () => {
  const withPermit = semaphore({ ...limits, atOnce: 1 });
  await expect(
    withPermit(1, async () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect(await withPermit(1, async () => 5)).toBe(5);
});
