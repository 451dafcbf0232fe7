/** What the form of a role says about permissions that lead to others, and that it is true. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);
let runtime: TestRuntime;
let cookie: string;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
afterAll(() => runtime.stop());

test("the form of a role notes which permissions lead to all others, in every language", async () => {
  for (const [language, path, words] of [
    ["en", "/settings/roles/create", "“Manage users” and “Manage roles” lead to every other permission"],
    ["de", "/settings/roles/2", "„Benutzer verwalten“ und „Rollen verwalten“ führen zu jeder anderen Berechtigung"],
    ["fr", "/settings/roles/1", "« Gérer les utilisateurs » et « Gérer les rôles » mènent à toutes les autres"],
  ] as const) {
    const headers = { accept: "text/html", "accept-language": language, cookie };
    const { body } = await runtime.ask("GET", path, { as: null, headers });
    expect(body).toContain(words);
  }
});

test("managing users or roles leads to every other permission, and not to the role of administrators", async () => {
  const clerk = await runtime.person("clerk", ["access-api", "user-roles-manage"]);
  const ask = (as: string, method: string, path: string, body?: object) =>
    runtime.ask(method, path, { as, ...(body ? { body } : {}) });
  expect((await ask(clerk.token, "GET", "/api/webhooks")).status).toBe(403);
  const more = { permissions: ["access-api", "user-roles-manage", "settings-manage"] };
  expect((await ask(clerk.token, "PUT", `/api/roles/${clerk.role}`, more)).status).toBe(200);
  expect((await ask(clerk.token, "GET", "/api/webhooks")).status).toBe(200);
  const porter = await runtime.person("porter", ["access-api", "users-manage"]);
  const password = { password: "chosen by the porter" };
  expect((await ask(porter.token, "PUT", `/api/users/${clerk.id}`, password)).status).toBe(200);
  expect((await ask(porter.token, "PUT", "/api/users/1", password)).status).toBe(403);
  expect((await ask(porter.token, "PUT", `/api/users/${porter.id}`, { roles: [1] })).status).toBe(403);
});
