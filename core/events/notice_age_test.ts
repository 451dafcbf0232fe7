import { afterEach, beforeEach, expect, type Mock, spyOn, test } from "bun:test";
import { NoticeAge } from "./notice_age.ts";

const MAX_AGE_MS = 1_000;

let now = 0;
let clock: Mock<typeof performance.now>;
beforeEach(() => {
  now = 1_000_000;
  clock = spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => clock.mockRestore());

/** The age over a store whose notifications come back when `deliver` is called. */
async function aged() {
  const sent: string[] = [];
  let heard = (_payload: string): void => {};
  const age = new NoticeAge(MAX_AGE_MS);
  const stop = await age.listen({
    async listen(_channel, { onNotify }) {
      heard = onNotify;
      return async () => {};
    },
    notify: async (_channel, payload) => void sent.push(payload),
  });
  return { age, sent, stop, hear: (payload: string) => heard(payload), deliver: () => heard(sent.at(-1) as string) };
}

test("what was cached long ago is used again when a beat has come back, for a second from its sending", async () => {
  const { age, deliver } = await aged();
  const since = now;
  now += 60_000;
  expect(age.allows(since)).toBe(false);
  now += 40;
  deliver();
  expect([age.allows(since), age.ageMs]).toEqual([true, 40]);
  now += MAX_AGE_MS - 41;
  expect(age.allows(since)).toBe(true);
  now += 1;
  expect(age.allows(since)).toBe(false);
});

test("where no beat comes back, a value is used for a second from its load", async () => {
  const { age, sent } = await aged();
  now += 60_000;
  const since = now;
  expect(age.allows(since)).toBe(true);
  now += MAX_AGE_MS - 1;
  expect(age.allows(since)).toBe(true);
  now += 1;
  expect(age.allows(since)).toBe(false);
  expect(sent.length).toBe(2);
});

test("beats are sent while values are used, and none by an idle process", async () => {
  const { age, sent, deliver } = await aged();
  for (const end = now + 10_000; now < end; now += 10) {
    age.allows(now);
    if (sent.length > 0) deliver();
  }
  expect(sent.length).toBe(40);
  now += 3_600_000;
  expect([sent.length, age.ageMs]).toEqual([40, undefined]);
});

test("a beat that is not the last one proves nothing, nor does what others send", async () => {
  const { age, sent, hear } = await aged();
  const since = now;
  now += 60_000;
  age.allows(since);
  now += MAX_AGE_MS;
  age.allows(since);
  for (const payload of [sent[0] as string, "", "x"]) hear(payload);
  expect(age.allows(since)).toBe(false);
});

test("a beat that the store refuses is sent again", async () => {
  let calls = 0;
  const age = new NoticeAge(MAX_AGE_MS);
  await age.listen({
    listen: async () => async () => {},
    async notify() {
      calls += 1;
      throw new Error("away");
    },
  });
  for (let at = 0; at < 3; at++) {
    age.allows(now);
    now += MAX_AGE_MS;
  }
  expect(calls).toBe(3);
});

test("all news has come when a beat that was sent afterwards is back, not one that was under way", async () => {
  const { age, sent, hear } = await aged();
  const [first, second] = [age.haveCome(), age.haveCome()];
  expect(sent).toEqual(["1"]);
  let isKnown = false;
  void second.then(() => {
    isKnown = true;
  });
  hear("1");
  expect(await first).toBe(true);
  expect([sent, isKnown]).toEqual([["1", "2"], false]);
  hear("2");
  expect(await second).toBe(true);
});

test("where no beat comes back, the news is said not to have come, and nobody waits for long", async () => {
  const { age } = await aged();
  expect(await age.haveCome()).toBe(false);
  now += 101;
  expect(age.isSilent).toBe(true);
  expect(await age.haveCome()).toBe(false);
});
