import { expect, test } from "bun:test";
import { GUEST, SYSTEM } from "../viewer.ts";
import { ownerOf, RequestTurns, type Turn } from "./request_turns.ts";

/** Keeps the thread busy, as a request does. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Begins a request that waits for something, and so counts as one that runs. */
async function begun(turns: RequestTurns, owner: string): Promise<Turn> {
  const found = turns.begin(owner);
  const turn = found instanceof Promise ? await found : found;
  turn.run();
  return turn;
}

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Begins so many requests of an owner; each is noted when it begins, works and ends. */
function burst(turns: RequestTurns, owner: string, count: number, seen: string[]): Promise<unknown> {
  const one = async () => {
    const turn = await begun(turns, owner);
    seen.push(owner);
    work(3);
    turn.end();
  };
  return Promise.all(Array.from({ length: count }, one));
}

test("a request waits for one of each other owner, however many of a burst came before it", async () => {
  const turns = new RequestTurns();
  const order: string[] = [];
  const running = [burst(turns, "many", 60, order), burst(turns, "one", 1, order), burst(turns, "another", 1, order)];
  await Promise.all(running);
  const first = order.filter((owner) => owner === "many").length;
  expect(first).toBe(60);
  // Those that arrive at the same time begin at once, up to eight of one owner.
  expect(order.indexOf("one")).toBeLessThanOrEqual(10);
  expect(order.indexOf("another")).toBeLessThanOrEqual(10);
});

test("the event loop has its turn while a burst begins", async () => {
  const turns = new RequestTurns();
  const order: string[] = [];
  const seen: number[] = [];
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await turnOfLoop()) seen.push(order.length);
  })();
  await burst(turns, "many", 40, order);
  isOver = true;
  await watching;
  const steps = seen.map((count, at) => count - (seen[at - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(8);
});

test("of one owner eight requests run at a time, and others are not held up by them", async () => {
  const turns = new RequestTurns();
  const held = await Promise.all(Array.from({ length: 8 }, () => begun(turns, "many")));
  let hasBegun = false;
  const ninth = begun(turns, "many").then((turn) => {
    hasBegun = true;
    return turn;
  });
  (await begun(turns, "one")).end();
  for (let turn = 0; turn < 5; turn++) await turnOfLoop();
  expect(hasBegun).toBe(false);
  held[0]?.end();
  held[0]?.end();
  (await ninth).end();
  // What waits for something is no longer counted after a second.
  const late = await Promise.all(Array.from({ length: 9 }, () => begun(turns, "many")));
  for (const turn of [...held, ...late]) turn.end();
});

test("a request that is answered at once never counts as one that runs", async () => {
  const turns = new RequestTurns();
  for (let n = 0; n < 20; n++) {
    const turn = await turns.begin("many");
    turn.end();
    turn.run();
  }
  expect(turns.begin("many")).not.toBeInstanceOf(Promise);
});

test("a request whose client has left is taken out, and the next one gets its turn", async () => {
  const turns = new RequestTurns();
  const held = await Promise.all(Array.from({ length: 8 }, () => begun(turns, "many")));
  const client = new AbortController();
  const left = Promise.resolve(turns.begin("many", client));
  const next = Promise.resolve(turns.begin("many"));
  client.abort();
  await expect(left).rejects.toMatchObject({ status: 408 });
  for (const turn of held) turn.end();
  (await next).end();
});

test("any number of requests wait, and one that has waited too long is told when to come again", async () => {
  const turns = new RequestTurns(0);
  const held = await Promise.all(Array.from({ length: 8 }, () => begun(turns, "many")));
  const waiting = Array.from({ length: 200 }, () => Promise.resolve(turns.begin("many")));
  const refused = { status: 503, details: { headers: { "retry-after": "5" } } };
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes).toMatchObject(Array(200).fill({ status: "rejected", reason: refused }));
  for (const turn of held) turn.end();
  (await turns.begin("many")).end();
});

test("work on bodies takes turns with requests, and is not held up by those that run", async () => {
  const turns = new RequestTurns();
  const held = await Promise.all(Array.from({ length: 8 }, () => begun(turns, "many")));
  await turnOfLoop();
  expect(turns.pause("many")).toBeUndefined();
  work(12);
  const paused = turns.pause("many");
  expect(paused).toBeInstanceOf(Promise);
  await paused;
  for (const turn of held) turn.end();
});

test("users have turns of their own, strangers those of their address", () => {
  expect(ownerOf({ viewer: { ...SYSTEM, id: 7 }, address: "192.0.2.1" })).toBe("viewer 7");
  expect(ownerOf({ viewer: GUEST, address: "192.0.2.1" })).toBe("address 192.0.2.1");
});
