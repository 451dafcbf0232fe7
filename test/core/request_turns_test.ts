import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, endpoint } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const open = Promise.withResolvers<void>();
let inside = 0;

const gate = definePlugin({
  name: "gate",
  setup({ app }) {
    const about = "A route of the test.";
    app.get(
      "/gate",
      async () => {
        inside += 1;
        await open.promise;
        return { passed: true };
      },
      { permit: "access-api", ...endpoint("gate", "read", { about }) },
    );
    app.post("/gate", ({ input }) => ({ fields: Object.keys(input).length }), {
      permit: "public",
      ...endpoint("gate", "count", { about, rules: {} }),
    });
  },
});

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [gate] });
});

afterAll(() => runtime.stop());

test("of a burst of one user eight requests run, and requests of others are answered meanwhile", async () => {
  const burst = Array.from({ length: 30 }, () => runtime.ask("GET", "/api/gate"));
  const answers = Promise.all(burst);
  // Another address, without a user.
  expect((await runtime.ask("POST", "/api/gate", { as: null, form: { a: "1" } })).body).toEqual({ fields: 1 });
  expect(inside).toBeLessThanOrEqual(8);
  open.resolve();
  expect((await answers).map(({ status }) => status)).toEqual(burst.map(() => 200));
  expect(inside).toBe(30);
});

test("a form of 1,001 fields is read for users, and refused to strangers", async () => {
  const fields = Array.from({ length: 1_001 }, (_, at) => [`f${at}`, "x"] as const);
  const urlencoded = { form: Object.fromEntries(fields) };
  const parts = new FormData();
  for (const [name, value] of fields) parts.set(name, value);
  for (const form of [urlencoded, { parts }]) {
    expect((await runtime.ask("POST", "/api/gate", form)).body).toEqual({ fields: 1_001 });
    const { status, body } = await runtime.ask("POST", "/api/gate", { ...form, as: null });
    expect({ status, message: body.error.message }).toEqual({
      status: 400,
      message: "The request has more than the 1000 fields allowed.",
    });
  }
});
