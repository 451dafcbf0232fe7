import { expect, test } from "bun:test";
import { FairQueue } from "./fair_queue.ts";

const REFUSED = new Error("busy");

/** A queue of which the test releases the permits; `order` has the names of those that were admitted. */
function queueOf({ permits = 2, maxWaiting = 100, waitMs = 60_000 } = {}) {
  const queue = new FairQueue({ name: "test", permits, maxWaiting, waitMs, busy: () => REFUSED });
  const order: string[] = [];
  const refused: string[] = [];
  const releases: (() => void)[] = [];
  const ask = (name: string, ...owners: string[]) => {
    void queue.acquire(...owners).then(
      (release) => {
        order.push(name);
        releases.push(release);
      },
      () => void refused.push(name),
    );
  };
  /** Releases the oldest permit until nobody has one; `before` is called before each release. */
  const drain = async (before?: () => void) => {
    await settle();
    for (let release = releases.shift(); release; release = releases.shift()) {
      before?.();
      release();
      await settle();
    }
  };
  return { queue, order, refused, ask, drain };
}

async function settle(): Promise<void> {
  for (let at = 0; at < 5; at++) await Promise.resolve();
}

const many = (count: number, ask: (at: number) => void) => {
  for (let at = 0; at < count; at++) ask(at);
};

test("another address waits for none of those of one with many", async () => {
  const { order, ask, drain } = queueOf();
  many(40, (at) => ask(`a${at}`, "address a", `account ${at}`));
  ask("b", "address b", "account b");
  await settle();
  expect(order).toEqual(["a0", "b"]);
  await drain();
  expect(order).toHaveLength(41);
});

test("another account waits for none of those of one that many addresses try", async () => {
  const { order, ask, drain } = queueOf();
  many(40, (at) => ask(`x${at}`, `address ${at}`, "account x"));
  ask("b", "address b", "account b");
  await settle();
  expect(order).toEqual(["x0", "b"]);
  await drain();
});

test("with one permit, others come next, also behind an owner in the middle of its turns", async () => {
  const { order, ask, drain } = queueOf({ permits: 1 });
  many(10, (at) => ask(`a${at}`, "address a", "account x"));
  many(3, (at) => ask(`b${at}`, "address b", "account y"));
  ask("c", "address c", "account z");
  await drain();
  expect(order.slice(0, 4)).toEqual(["a0", "b0", "c", "a1"]);
  expect(order.indexOf("b2")).toBeLessThan(8);
});

test("accounts of one address take turns, and so do addresses that try one account", async () => {
  const { order, ask, drain } = queueOf({ permits: 1 });
  many(10, (at) => ask(`x${at}`, "address a", "account x"));
  ask("y", "address a", "account y");
  many(10, (at) => ask(`a${at}`, "address b", "account v"));
  ask("victim", "address c", "account v");
  await drain();
  expect(order.indexOf("y")).toBeLessThan(5);
  expect(order.indexOf("victim")).toBeLessThan(6);
});

test("a stream of new owners does not keep an old one waiting", async () => {
  const { order, ask, drain } = queueOf({ permits: 1 });
  many(3, (at) => ask(`old${at}`, "old"));
  let made = 0;
  await drain(() => {
    if (made < 40) many(2, () => ask(`new${++made}`, `new ${made}`));
  });
  expect(order).toHaveLength(43);
  expect(order.indexOf("old2")).toBeLessThan(15);
});

test("an owner has half of the places; within them the caller of a crowded account gives way", async () => {
  const { order, refused, ask, drain } = queueOf({ maxWaiting: 8 });
  many(5, (at) => ask(`x${at}`, "address a", "account x"));
  await settle();
  expect([order, refused]).toEqual([["x0"], []]);
  ask("y", "address a", "account y");
  ask("x5", "address a", "account x");
  await settle();
  expect(refused).toEqual(["x4", "x5"]);
  await drain();
  expect(order.toSorted()).toEqual(["x0", "x1", "x2", "x3", "y"]);
});

test("a full queue drops the last caller of the owner with most, and else the new one", async () => {
  const { refused, ask, drain } = queueOf({ permits: 1, maxWaiting: 4 });
  ask("first", "first");
  for (const owner of ["a", "a", "b", "c"]) ask(`${owner}1`, owner);
  ask("d", "d");
  ask("e", "e");
  await settle();
  expect(refused).toEqual(["a1", "e"]);
  await drain();
});

test("a caller that waits for too long is refused, and delays nobody", async () => {
  const { queue, order, refused, ask, drain } = queueOf({ permits: 1, waitMs: 1 });
  const release = await queue.acquire("a");
  await expect(queue.acquire("b")).rejects.toBe(REFUSED);
  release();
  ask("c", "b");
  await drain();
  expect([order, refused]).toEqual([["c"], []]);
});

test("callers without an owner take every permit, in the order of their calls", async () => {
  const { order, ask, drain } = queueOf();
  many(5, (at) => ask(String(at)));
  await settle();
  expect(order).toEqual(["0", "1"]);
  await drain();
  expect(order).toEqual(["0", "1", "2", "3", "4"]);
});

test("places are counted by weight where callers have one: as many as are needed are dropped, those of the crowded owner first", async () => {
  const { queue, refused, drain } = queueOf({ permits: 1, maxWaiting: 100 });
  const order: string[] = [];
  const weighing = (name: string, weight: number, owner: string) => {
    const admitted = queue.acquireWeighing(weight, owner);
    return admitted.then(
      (release) => {
        order.push(name);
        release();
      },
      () => void refused.push(name),
    );
  };
  const release = await queue.acquire("z");
  const asked = [weighing("a1", 20, "a"), weighing("a2", 20, "a"), weighing("b1", 40, "b"), weighing("c1", 45, "c")];
  asked.push(weighing("a3", 20, "a"));
  await settle();
  expect(refused).toEqual(["c1", "a3"]);
  release();
  await Promise.all(asked);
  await drain();
  expect(order.toSorted()).toEqual(["a1", "a2", "b1"]);
});
