import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const invalid = (validation: unknown) => ({ error: { message: "The given data was invalid.", validation, code: 422 } });

test("names of users, roles and tokens hold no control or formatting characters", async () => {
  const bad = "Ann\u001b[2J";
  const ann = (await runtime.ask("POST", "/api/users", { body: { name: "Ann", email: "shown@example.com" } })).body;
  const error = (field: string, words: string) =>
    invalid({ [field]: [`The ${words} may not contain control characters.`] });
  for (const [method, path, body, expected] of [
    ["POST", "/api/users", { name: bad, email: "hidden@example.com" }, error("name", "name")],
    ["PUT", `/api/users/${ann.id}`, { name: "a\nb" }, error("name", "name")],
    ["PUT", "/api/users/me", { name: "a\u202eb" }, error("name", "name")],
    ["POST", `/api/users/${ann.id}/tokens`, { name: bad }, error("name", "name")],
    ["POST", "/api/roles", { display_name: bad }, error("display_name", "display name")],
    ["PUT", "/api/roles/3", { display_name: bad }, error("display_name", "display name")],
  ] as const) {
    const answer = await runtime.ask(method, path, { body });
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 422, expected]);
  }
  const email = "a\u0007b@example.com";
  expect((await runtime.ask("PUT", `/api/users/${ann.id}`, { body: { email } })).status).toBe(422);
});
