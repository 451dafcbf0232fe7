/** An instance below the path of another site: its proxy may leave that path on, or take it off. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ env: { APP_URL: "https://example.com/docs" } });
});
afterAll(() => runtime.stop());

test("both forms lead to the same routes, and nothing else does", async () => {
  for (const path of ["/api/books", "/docs/api/books", "/docs/api/books?count=1"])
    expect([path, (await runtime.ask("GET", path)).status]).toEqual([path, 200]);
  for (const path of ["/docsapi/books", "/docs/docs/api/books", "/doc/api/books"])
    expect([path, (await runtime.ask("GET", path)).status]).toEqual([path, 404]);
  expect((await runtime.ask("POST", "/docs/api/books", { body: { name: "Below" } })).body.slug).toBe("below");
});

test("screens mark where one is, whichever form the path has", async () => {
  const { headers } = await runtime.ask("POST", "/docs/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "correct horse battery" },
  });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  for (const path of ["/settings/users", "/docs/settings/users"]) {
    const { status, body } = await runtime.ask("GET", path, { as: null, headers: { cookie, accept: "text/html" } });
    expect([path, status]).toEqual([path, 200]);
    expect(body).toContain('<a href="/docs/settings/users" aria-current="page">');
  }
  const stranger = await runtime.ask("GET", "/docs/settings/users?page=2", {
    as: null,
    headers: { accept: "text/html" },
  });
  expect(stranger.headers.get("location")).toBe("/docs/login?next=%2Fsettings%2Fusers%3Fpage%3D2");
});
