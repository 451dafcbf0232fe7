import { afterAll, beforeAll, expect, test } from "bun:test";
import { ApiError, definePlugin, endpoint } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

class Stranger extends ApiError {
  /** What an error of a plugin's own may have besides. */
  readonly seen = new Date(0);

  constructor() {
    super(401, "No stranger may enter.", { headers: { "www-authenticate": "Bell" } });
  }
}
class Asleep extends Error {}

/** What the porter returns instead of a viewer, by a header. */
const RETURNED: Readonly<Record<string, () => unknown>> = {
  stranger: () => new Stranger(),
  later: async () => new Stranger(),
  asleep: () => new Asleep("The porter sleeps."),
  something: () => ({ id: 7 }),
};

const porter = definePlugin({
  name: "porter",
  grants: { auth: true },
  setup({ app, routeScope }) {
    routeScope("/porter", {
      authenticate: ({ headers }) =>
        // What the types forbid is the subject of a test.
        (RETURNED[headers.get("x-who") ?? ""]?.() ?? new ApiError(401, "Who are you?")) as ApiError,
      limiter: null,
      ownBodies: true,
      formatError: (_status, message) => ({ told: message }),
      async intercept(request, address, next) {
        if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { "x-for": address } });
        if (request.headers.get("x-mood") === "bad") throw new ApiError(429, "Come back later.");
        const response = await next();
        response.headers.set("x-porter", "Bob");
        return response;
      },
    });
    const about = "A route of the test.";
    app.get("/porter/private", () => ({ secret: true }), {
      permit: "access-api",
      ...endpoint("porter", "a", { about }),
    });
    app.post("/porter/letters", async ({ request, input }) => ({ text: await request.text(), input }), {
      permit: "public",
      ...endpoint("porter", "b", { about, rules: {} }),
    });
  },
});

/** Boots with a plugin that intercepts a route scope. */
function intercepting(prefix: string, outside: boolean) {
  const spy = definePlugin({
    name: "spy",
    setup: ({ routeScope }) => routeScope(prefix, { outside, intercept: (_request, _address, next) => next() }),
  });
  return bootTestRuntime({ extra: [spy] }).then(
    (booted) => booted.stop().then(() => "booted"),
    ({ message }: Error) => message,
  );
}

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [porter] });
});
afterAll(() => runtime.stop());

test("a route scope may answer before credentials are checked", async () => {
  const answer = await runtime.ask("OPTIONS", "/api/porter/private", { as: null });
  expect([answer.status, answer.headers.get("x-for"), answer.headers.get("x-porter")]).toEqual([
    204,
    "127.0.0.1",
    null,
  ]);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

test("what it throws is answered in the scope's own shape", async () => {
  const { status, body } = await runtime.ask("GET", "/api/porter/private", { headers: { "x-mood": "bad" } });
  expect([status, body]).toEqual([429, { told: "Come back later." }]);
});

test("it finishes every other answer, refusals and missing routes included", async () => {
  for (const [path, status, told] of [
    ["/api/porter/private", 401, "Who are you?"],
    ["/api/porter/nothing", 404, "The route api/porter/nothing could not be found."],
  ] as const) {
    const answer = await runtime.ask("GET", path);
    expect([answer.status, answer.body, answer.headers.get("x-porter")]).toEqual([status, { told }, "Bob"]);
    expect(answer.headers.get("x-ratelimit-limit")).toBeNull();
  }
  expect((await runtime.ask("GET", "/api/books")).headers.get("x-porter")).toBeNull();
});

test.each(["stranger", "later"])("an error of a plugin's own class that it returns is answered (%s)", async (who) => {
  const answer = await runtime.ask("GET", "/api/porter/private", { headers: { "x-who": who } });
  expect([answer.status, answer.body, answer.headers.get("www-authenticate")]).toEqual([
    401,
    { told: "No stranger may enter." },
    "Bell",
  ]);
});

test.each([
  ["asleep", 'the error "The porter sleeps."'],
  ["something", "something else"],
])("what is neither a viewer nor an answer is refused and counted as a fault (%s)", async (who, what) => {
  const { status, body } = await runtime.ask("GET", "/api/porter/private", { headers: { "x-who": who } });
  const told = 'The plugin "porter" does not run at the moment; try again in a moment.';
  expect([status, body]).toEqual([503, { told }]);
  const message = `It returned ${what}, wanted a viewer, an ApiError or undefined`;
  expect(runtime.contexts.get("porter")?.runtime.faults().at(-1)).toMatchObject({ plugin: "porter", message });
});

test("a scope that reads its own bodies is given them as they came", async () => {
  const { body } = await runtime.ask("POST", "/api/porter/letters?to=ann", { body: '{"a": 1' });
  expect(body).toEqual({ text: '{"a": 1', input: { to: "ann" } });
});

test("no plugin intercepts the answers of a shipped one, which have cookies and tokens in them", async () => {
  for (const [prefix, outside, covered] of [
    ["/session", false, "/api/session"],
    ["/users", false, "/api/users"],
    ["/users/7/tokens", false, "/api/users/:id/tokens"],
    ["", false, "/api"],
    ["/login", true, "/login"],
    ["", true, "/"],
  ] as const) {
    const message = await intercepting(prefix, outside);
    expect(message).toContain(
      `The plugin "spy" intercepts the route scope "${outside ? prefix || "/" : `/api${prefix}`}"`,
    );
    expect(message).toContain(` ${covered}`);
  }
  expect(await intercepting("/spy", false)).toBe("booted");
});
