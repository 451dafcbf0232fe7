/** Ids of requests: made, or taken from a trusted proxy; in the answer, in log lines, and where no context is passed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, endpoint } from "lectern/core";
import { currentRequestId } from "../../core/http/request_context.ts";
import { createLog } from "../../core/log.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const about = "A route of the test.";
const lines: string[] = [];
const log = createLog("info", (line) => void lines.push(line), currentRequestId).with({ plugin: "clerk" });

const clerk = definePlugin({
  name: "clerk",
  setup({ app, callAs }) {
    app.get(
      "/clerk/own",
      async ({ requestId }) => {
        await Bun.sleep(1);
        log.info("read");
        return { id: requestId };
      },
      { permit: "public", ...endpoint("clerk", "own", { about }) },
    );
    app.post(
      "/clerk/inner",
      async ({ viewer }) => (await callAs(viewer, "GET", "/api/clerk/own")).json() as Promise<object>,
      { permit: "access-api", ...endpoint("clerk", "inner", { about, rules: {} }) },
    );
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [clerk], env: { APP_PROXIES: "10.0.0.0/8" } });
});
afterAll(() => runtime.stop());

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

async function idOf(path: string, peer: string, sent?: string) {
  const headers: Record<string, string> = sent === undefined ? {} : { "x-request-id": sent };
  const response = await runtime.runtime.http.handle(new Request(`http://localhost${path}`, { headers }), peer);
  return { answered: response.headers.get("x-request-id") ?? "", body: await response.json() };
}

test("every answer has an id, which handlers and log lines have too", async () => {
  const { answered, body } = await idOf("/api/clerk/own", "192.0.2.1");
  expect(answered).toMatch(UUID);
  expect(body).toEqual({ id: answered });
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ message: "read", plugin: "clerk", requestId: answered });
  expect((await idOf("/api/nothing", "192.0.2.1")).answered).toMatch(UUID);
  expect((await idOf("/nothing", "192.0.2.1")).answered).toMatch(UUID);
});

test("a proxy's id is kept where the proxy is trusted and the id has the form of one", async () => {
  expect((await idOf("/api/clerk/own", "10.1.2.3", "Edge-42")).answered).toBe("Edge-42");
  expect((await idOf("/api/clerk/own", "::ffff:10.1.2.3", "Edge-42")).answered).toBe("Edge-42");
  expect((await idOf("/api/clerk/own", "192.0.2.1", "Edge-42")).answered).toMatch(UUID);
  for (const wrong of ["", "a b", "x".repeat(65), "né", "a_b", '"quoted"'])
    expect((await idOf("/api/clerk/own", "10.1.2.3", wrong)).answered).toMatch(UUID);
});

test("calls within the process have the id of their request", async () => {
  const { body, headers } = await runtime.ask("POST", "/api/clerk/inner");
  expect(body).toEqual({ id: headers.get("x-request-id") });
});

test("a line outside of a request has no id", () => {
  log.info("outside");
  expect(JSON.parse(lines.at(-1) ?? "")).not.toHaveProperty("requestId");
});
