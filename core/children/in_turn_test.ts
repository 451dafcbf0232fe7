import { expect, test } from "bun:test";
import { inTurn } from "./in_turn.ts";

/** Keeps the processor busy for some time. */
function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** A clock of the event loop: how many turns it has had. */
function turns() {
  const seen = { count: 0, isOver: false };
  const next = () => {
    seen.count += 1;
    if (!seen.isOver) setImmediate(next);
  };
  setImmediate(next);
  return seen;
}

test("much short work at once leaves the event loop its turns", async () => {
  const loop = turns();
  const at: number[] = [];
  const work = () => {
    at.push(loop.count);
    spin(6);
  };
  await Promise.all(Array.from({ length: 12 }, () => inTurn("a", work)));
  loop.isOver = true;
  // Two fit into a turn of ten milliseconds.
  for (const turn of at) expect(at.filter((other) => other === turn).length).toBeLessThanOrEqual(2);
});

test("owners take turns, however much each has waiting", async () => {
  const ended: string[] = [];
  const run = (owner: string) =>
    inTurn(owner, () => {
      spin(6);
      ended.push(owner);
    });
  await Promise.all([..."aaaaaaaa", "b", "b", "c"].map(run));
  expect(ended.indexOf("c")).toBeLessThan(6);
  expect(ended.lastIndexOf("b")).toBeLessThan(8);
});

test("work that fails rejects, and the next is done", async () => {
  const failing = inTurn("a", () => {
    spin(12);
    throw new Error("broken");
  });
  const next = inTurn("a", () => "done");
  expect(await failing.catch((error: Error) => error.message)).toBe("broken");
  expect(await next).toBe("done");
});

test("after work that waited long the next begins", async () => {
  await inTurn("a", () => Bun.sleep(30));
  expect(await inTurn("a", () => "next")).toBe("next");
});

test("work that waits for something else does not hold up the others", async () => {
  const gate = Promise.withResolvers<string>();
  spin(1);
  const slow = inTurn("a", async () => {
    spin(12);
    return gate.promise;
  });
  expect(await inTurn("b", () => "other")).toBe("other");
  gate.resolve("slow");
  expect(await slow).toBe("slow");
});
