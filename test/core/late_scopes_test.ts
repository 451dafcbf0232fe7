/** Functions of route scopes of plugins that never end: each is given up in time and named. */
import { afterAll, beforeAll, expect, type Mock, setDefaultTimeout, spyOn, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { FEW } from "../support/harness/few_plugins.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);

const LIMIT_MS = scaled(100);
const never = () => new Promise<never>(() => {});

const doorman = definePlugin({
  name: "doorman",
  setup({ app, routeScope }) {
    routeScope("/doorman/before", { intercept: never });
    routeScope("/doorman/after", { intercept: (_request, _address, next) => next().then(never) });
    routeScope("/doorman/limited", { limiter: { take: never } });
    routeScope("/doorman/counted", {
      addressLimit: { take: never, headers: () => ({}), exceeded: () => new Error() as never },
    });
    routeScope("/doorman/unchanged", { notModified: never });
    routeScope("/doorman/slow", { intercept: (_request, _address, next) => next() });
    app.get(
      "/doorman/slow",
      async () => {
        // Longer than an interception may take by itself.
        await Bun.sleep(LIMIT_MS * 1.5);
        return { opened: true };
      },
      { permit: "public" },
    );
    for (const name of ["before", "after", "limited", "counted", "unchanged"])
      app.get(`/doorman/${name}`, () => ({ opened: true }), { permit: "public" });
  },
});

let runtime: TestRuntime;
let logged: Mock<typeof process.stderr.write>;

beforeAll(async () => {
  logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  const constants = { core: { partTimeoutMs: LIMIT_MS, answerTimeoutMs: LIMIT_MS * 2 } };
  runtime = await bootTestRuntime({ only: FEW, extra: [doorman], constants });
});
afterAll(async () => {
  await runtime.stop();
  logged.mockRestore();
});

test.each([
  ["before", "intercept of /doorman/before"],
  ["after", "intercept of /doorman/after"],
  ["limited", "limiter of /doorman/limited"],
  ["counted", "addressLimit of /doorman/counted"],
  ["unchanged", "notModified of /doorman/unchanged"],
])("a function of a route scope that never ends is answered 503 and named: %s", async (path, place) => {
  const { status, body } = await runtime.ask("GET", `/api/doorman/${path}`, { headers: { "if-none-match": '"x"' } });
  expect([status, body.error.message]).toEqual([503, 'The plugin "doorman" did not answer in time.']);
  const faults = runtime.contexts.get("doorman")?.runtime.faults() ?? [];
  expect(faults.map((fault) => [fault.plugin, fault.place])).toContainEqual(["doorman", place]);
});

test("an interception is not late while the route that it encloses answers", async () => {
  expect((await runtime.ask("GET", "/api/doorman/slow")).body).toEqual({ opened: true });
});
