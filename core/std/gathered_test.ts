import { expect, test } from "bun:test";
import { until } from "../../test/support/harness/until.ts";
import { Gathered } from "./gathered.ts";

test("calls that come together are one run, those during a run another one, and a stop waits", async () => {
  const steps: string[] = [];
  let open = Promise.withResolvers<void>();
  const gathered = new Gathered({
    ms: 20,
    onFailure: (error) => void steps.push(String(error)),
    async run() {
      steps.push("begun");
      await open.promise;
      steps.push("ended");
    },
  });
  gathered.start();
  for (let at = 0; at < 5; at++) gathered.soon();
  expect(steps).toEqual([]);
  await until(() => steps.length === 1);
  gathered.soon();
  await Bun.sleep(60);
  expect(steps).toEqual(["begun"]);
  open.resolve();
  open = Promise.withResolvers();
  await until(() => steps.length === 3);
  const stopped = gathered.stop();
  gathered.soon();
  open.resolve();
  await stopped;
  await Bun.sleep(60);
  expect(steps).toEqual(["begun", "ended", "begun", "ended"]);
});

test("what is wanted before the start is done after it, and without a start once at the end", async () => {
  for (const isStarted of [true, false]) {
    let runs = 0;
    const gathered = new Gathered({ ms: 5, onFailure: () => {}, run: async () => void runs++ });
    gathered.soon();
    gathered.soon();
    await Bun.sleep(20);
    expect(runs).toBe(0);
    if (isStarted) {
      gathered.start();
      await until(() => runs === 1);
    }
    await gathered.stop();
    expect(runs).toBe(1);
  }
});
