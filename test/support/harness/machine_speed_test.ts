import { expect, test } from "bun:test";
import { type MachineState, machineSlowness, scaled, slownessOf } from "./machine_speed.ts";
import { until } from "./until.ts";

const IDLE: MachineState = { workMs: 18, load: 0.4, cores: 2, atStart: 1 };

test("limits hold as they are on an idle machine, and grow with what slows one down, up to five times", () => {
  expect(slownessOf(IDLE)).toBe(1);
  expect(slownessOf({ ...IDLE, workMs: 50 })).toBe(2);
  expect(slownessOf({ ...IDLE, load: 6 })).toBe(3);
  expect(slownessOf({ ...IDLE, load: 6, workMs: 100 })).toBe(4);
  expect(slownessOf({ ...IDLE, atStart: 1.5 })).toBe(1.5);
  for (const slow of [{ workMs: 5_000 }, { load: 400 }, { atStart: 9 }])
    expect(slownessOf({ ...IDLE, ...slow })).toBe(5);
});

test("this machine is measured within a fraction of a second, and once for limits of the same moment", () => {
  const started = performance.now();
  const slowness = machineSlowness();
  expect(slowness).toBeWithin(1, 5.01);
  expect([scaled(1_000), scaled(0)]).toEqual([Math.ceil(1_000 * slowness), 0]);
  expect(performance.now() - started).toBeLessThan(scaled(500));
});

test("waiting ends with what is wanted, or with an error that says what was there instead", async () => {
  let looks = 0;
  expect(
    await until(
      () => ++looks,
      (count) => count === 3,
    ),
  ).toBe(3);
  const started = performance.now();
  await expect(
    until(
      () => "early",
      (word) => word === "late",
      20,
    ),
  ).rejects.toThrow(/^Still "early" after \d+ ms$/);
  expect(performance.now() - started).toBeWithin(20, scaled(1_000));
});
