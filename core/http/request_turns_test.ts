import { expect, test } from "bun:test";
import { GUEST, SYSTEM } from "../viewer.ts";
import { ownerOf, RequestTurns } from "./request_turns.ts";

/** Keeps the thread busy, as a request does. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Begins so many requests of an owner; each is noted when it begins, works and ends. */
function burst(turns: RequestTurns, owner: string, count: number, begun: string[]): Promise<unknown> {
  const one = async () => {
    const leave = await turns.begin(owner);
    begun.push(owner);
    work(3);
    leave();
  };
  return Promise.all(Array.from({ length: count }, one));
}

test("a request waits for one of each other owner, however many of a burst came before it", async () => {
  const turns = new RequestTurns();
  const begun: string[] = [];
  const running = [burst(turns, "many", 60, begun), burst(turns, "one", 1, begun), burst(turns, "another", 1, begun)];
  await Promise.all(running);
  const first = begun.filter((owner) => owner === "many").length;
  expect(first).toBe(60);
  // Those that arrive at the same time begin at once, up to eight of one owner.
  expect(begun.indexOf("one")).toBeLessThanOrEqual(10);
  expect(begun.indexOf("another")).toBeLessThanOrEqual(10);
});

test("the event loop has its turn while a burst begins", async () => {
  const turns = new RequestTurns();
  const begun: string[] = [];
  const seen: number[] = [];
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await turnOfLoop()) seen.push(begun.length);
  })();
  await burst(turns, "many", 40, begun);
  isOver = true;
  await watching;
  const steps = seen.map((count, at) => count - (seen[at - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(8);
});

test("of one owner eight requests run at a time, and others are not held up by them", async () => {
  const turns = new RequestTurns();
  const held = await Promise.all(Array.from({ length: 8 }, () => turns.begin("many")));
  let hasBegun = false;
  const ninth = Promise.resolve(turns.begin("many")).then((leave) => {
    hasBegun = true;
    return leave;
  });
  (await turns.begin("one"))();
  for (let turn = 0; turn < 5; turn++) await turnOfLoop();
  expect(hasBegun).toBe(false);
  held[0]?.();
  held[0]?.();
  (await ninth)();
  // What waits for something is no longer counted after a second.
  const late = await Promise.all(Array.from({ length: 9 }, () => turns.begin("many")));
  for (const leave of [...held, ...late]) leave();
});

test("work on bodies takes turns with requests, and is not held up by those that run", async () => {
  const turns = new RequestTurns();
  const held = await Promise.all(Array.from({ length: 8 }, () => turns.begin("many")));
  await turnOfLoop();
  expect(turns.pause("many")).toBeUndefined();
  work(12);
  const paused = turns.pause("many");
  expect(paused).toBeInstanceOf(Promise);
  await paused;
  for (const leave of held) leave();
});

test("users have turns of their own, strangers those of their address", () => {
  expect(ownerOf({ viewer: { ...SYSTEM, id: 7 }, address: "192.0.2.1" })).toBe("viewer 7");
  expect(ownerOf({ viewer: GUEST, address: "192.0.2.1" })).toBe("address 192.0.2.1");
});
