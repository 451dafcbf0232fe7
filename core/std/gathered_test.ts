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
