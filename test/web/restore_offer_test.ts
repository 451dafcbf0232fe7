/** What the home page of an empty instance says about backups, and to whom. */
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

test("an empty instance offers administrators to restore a backup, and no longer once it has a book", async () => {
  const home = async (language = "en") =>
    (await runtime.ask("GET", "/", { as: null, headers: { accept: "text/html", "accept-language": language, cookie } }))
      .body;
  expect(await home()).toContain("lectern restore FILE --replace");
  expect(await home("de")).toContain("Sicherung wiederherstellen");
  const visitor = await runtime.ask("GET", "/", { as: null, headers: { accept: "text/html" } });
  expect(visitor.body).not.toContain("lectern restore");
  await runtime.ask("POST", "/api/books", { body: { name: "First" } });
  expect(await home()).not.toContain("lectern restore");
});
