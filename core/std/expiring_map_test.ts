import { expect, test } from "bun:test";
import { ExpiringMap } from "./expiring_map.ts";

const LIFETIME_MS = 1_000;

test("a value exists until it expires, and can be set again then", () => {
  let now = 5_000;
  const map = new ExpiringMap<{ endsAt: number }>(LIFETIME_MS, 100, () => now);
  map.set("a", { endsAt: 6_000 });
  now = 5_999;
  expect(map.get("a")).toEqual({ endsAt: 6_000 });
  expect(map.get("b")).toBeUndefined();
  now = 6_000;
  expect(map.get("a")).toBeUndefined();
  map.set("a", { endsAt: 7_000 });
  expect(map.get("a")).toEqual({ endsAt: 7_000 });
});

test("below its bound it behaves like a map without a bound, over many keys and windows", () => {
  let now = 0;
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const map = new ExpiringMap<{ endsAt: number; n: number }>(LIFETIME_MS, 10_000, () => now);
  const model = new Map<string, { endsAt: number; n: number }>();
  for (let n = 0; n < 100_000; n++) {
    now += random(4);
    const key = `k${random(900)}`;
    const known = model.get(key);
    const wanted = known && known.endsAt > now ? known : undefined;
    expect(map.get(key)).toBe(wanted as never);
    if (wanted) continue;
    const made = { endsAt: now + 1 + random(LIFETIME_MS), n };
    model.set(key, made);
    map.set(key, made);
  }
});

test("it holds at most the keys of two lifetimes, without a sweep", () => {
  let now = 0;
  const map = new ExpiringMap<{ endsAt: number }>(LIFETIME_MS, 1_000_000, () => now);
  let most = 0;
  for (let n = 0; n < 200_000; n++) {
    if (n % 10 === 0) now += 1;
    map.set(`k${n}`, { endsAt: now + LIFETIME_MS });
    most = Math.max(most, map.size);
  }
  expect(most).toBe(2 * LIFETIME_MS * 10);
});

test("many keys within one lifetime stay within the bound, and keys in use are kept", () => {
  const map = new ExpiringMap<{ endsAt: number }>(LIFETIME_MS, 100, () => 0);
  const used = { endsAt: LIFETIME_MS };
  map.set("used", used);
  map.set("unused", used);
  for (let n = 0; n < 10_000; n++) {
    map.set(`k${n}`, { endsAt: LIFETIME_MS });
    expect(map.get("used")).toBe(used);
    expect(map.size).toBeLessThanOrEqual(100);
  }
  expect(map.get("unused")).toBeUndefined();
});
