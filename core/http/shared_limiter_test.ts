import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedLimiter } from "./shared_limiter.ts";

const folder = mkdtempSync(join(tmpdir(), "lectern-limiter-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIMIT = 1_000_000;
const TAKES = 20_000;
const at = 1_800_000_000_000;

test("a window opens with the first request, refuses beyond the limit and ends", () => {
  let now = at;
  const options = { folder, name: "one", limit: 2, windowMs: 60_000, maxKeys: 1_000, now: () => now };
  const [here, there] = [sharedLimiter(options), sharedLimiter(options)];
  const takes = [here, there, here].map((limiter) => limiter.take("ann"));
  expect(takes.map(({ remaining, exceeded }) => [remaining, exceeded])).toEqual([
    [1, false],
    [0, false],
    [0, true],
  ]);
  expect(takes[0]?.resetsAt).toBe((at + 60_000) / 1000);
  expect(here.take("ben").exceeded).toBe(false);
  expect([here.take("cay", 2), there.take("cay", 5)]).toMatchObject([{ exceeded: false }, { exceeded: true }]);
  now += 60_000;
  expect(there.take("ann")).toMatchObject({ remaining: 1, exceeded: false });
});

test("more keys than there is room for drop the window that ends first", () => {
  let now = at;
  const limiter = sharedLimiter({ folder, name: "few", limit: 5, windowMs: 60_000, maxKeys: 8, now: () => now });
  for (let key = 0; key < 1_000; key++) {
    now += 200;
    expect(limiter.take(`key ${key}`)).toMatchObject({ remaining: 4 });
    expect(limiter.take(`key ${key}`)).toMatchObject({ remaining: 3 });
  }
});

test("processes that count at the same time lose no request, and one that is killed locks nothing", async () => {
  const program = `
    const { sharedLimiter } = await import(${JSON.stringify(join(import.meta.dir, "shared_limiter.ts"))});
    const limiter = sharedLimiter({ folder: ${JSON.stringify(folder)}, name: "many", limit: ${LIMIT}, windowMs: 600_000, maxKeys: 1_000 });
    for (let n = 0; n < (Bun.argv.at(-1) === "endless" ? Infinity : ${TAKES}); n++) limiter.take(Bun.argv.at(-1));`;
  const run = (key: string) => Bun.spawn([process.execPath, "-e", program, key]);
  const endless = run("endless");
  const [one, two] = [run("ann"), run("ann")];
  await Promise.all([one.exited, two.exited]);
  endless.kill("SIGKILL");
  await endless.exited;
  const limiter = sharedLimiter({ folder, name: "many", limit: LIMIT, windowMs: 600_000, maxKeys: 1_000 });
  expect(limiter.take("ann").remaining).toBe(LIMIT - 2 * TAKES - 1);
  expect(limiter.take("endless").remaining).toBeGreaterThan(-1);
});
