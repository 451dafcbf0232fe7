/** Users change their own account, and nobody else's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const PASSWORD = "the present one";
const change = (body: unknown, as: string) => runtime.ask("PUT", "/api/users/me", { body, as });
const signIn = (email: string, password: string) =>
  runtime.ask("POST", "/api/session", { as: null, body: { email, password } });

async function person(name: string) {
  const { id, token } = await runtime.person(name, ["access-api"]);
  const { body } = await runtime.ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } });
  return { id, token, email: body.email as string };
}

test("users change their own name and language, and nothing that others give them", async () => {
  const { id, token, email } = await person("Ann");
  const changed = await change({ name: "Anna", language: "de", email: "x@example.com", roles: [1] }, token);
  expect(changed.body).toMatchObject({ id, name: "Anna", slug: "anna", language: "de", email, via: "token" });
  expect(changed.body.roles).toHaveLength(1);
  expect((await change({ language: "" }, token)).body.language).toBe("");
  expect((await runtime.ask("GET", "/api/users/me", { as: token })).body).toMatchObject({ name: "Anna", language: "" });
  expect((await change({ editor: "rich" }, token)).body).toMatchObject({ name: "Anna", editor: "rich" });
  expect((await change({ name: "Anne" }, token)).body.editor).toBe("rich");
  expect((await change({ editor: "" }, token)).body.editor).toBe("");
  expect((await change({ editor: "other" }, token)).body.error.validation).toHaveProperty("editor");
  expect((await change({ name: "" }, token)).status).toBe(422);
  expect((await change({ language: "d e" }, token)).body.error.validation).toHaveProperty("language");
});

test("a new password asks for the present one, ends sessions, and cannot be found by trying", async () => {
  const { token, email } = await person("Ben");
  const cookie = (await signIn(email, PASSWORD)).headers.get("set-cookie")?.split(";")[0] ?? "";
  const present = () => runtime.ask("GET", "/api/session", { as: null, headers: { cookie } });
  expect((await present()).status).toBe(200);
  const without = await change({ password: "another good one" }, token);
  expect([without.status, Object.keys(without.body.error.validation)]).toEqual([422, ["current_password"]]);
  const wrong = await change({ password: "another good one", current_password: "a guess" }, token);
  expect(wrong.body.error.validation).toEqual({ current_password: ["The current password is not right."] });
  expect((await change({ password: "short", current_password: PASSWORD }, token)).status).toBe(422);
  expect((await present()).status).toBe(200);
  expect((await change({ password: "another good one", current_password: PASSWORD }, token)).status).toBe(200);
  expect((await present()).status).toBe(401);
  expect([(await signIn(email, PASSWORD)).status, (await signIn(email, "another good one")).status]).toEqual([
    401, 200,
  ]);
  const statuses: number[] = [];
  for (let at = 0; at < 11; at++)
    statuses.push((await change({ password: "another good one", current_password: "a guess" }, token)).status);
  expect(statuses.at(-1)).toBe(429);
});

test("a token with a scope is not its owner", async () => {
  const { id, token } = await person("Cleo");
  const { body } = await runtime.ask("POST", `/api/users/${id}/tokens`, {
    as: token,
    body: { name: "Narrow", permissions: ["access-api"] },
  });
  expect((await change({ name: "Other" }, `${body.token_id}:${body.secret}`)).status).toBe(403);
});

test("a demo lets nobody change accounts", async () => {
  const demo = await bootTestRuntime({ beside: runtime, env: { APP_ENV: "demo" } });
  expect((await demo.ask("PUT", "/api/users/me", { body: { name: "Other" } })).status).toBe(403);
  await demo.stop();
});
