/** What an instance says about itself, and the images its answers link to. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const facts = async (env: Record<string, string>) => {
  const other = await bootTestRuntime({ env });
  const { body } = await other.ask("GET", "/api/system");
  await other.stop();
  return body;
};

test("clients get the version of the API, unless the operator names another", async () => {
  expect((await runtime.ask("GET", "/api/system")).body.version).toBe("v26.05+lectern");
  expect((await facts({ APP_VERSION: "v25.02" })).version).toBe("v25.02");
});

test("the logo is the one that ships, another one, or none", async () => {
  expect((await runtime.ask("GET", "/api/system")).body.app_logo).toBe("http://localhost/logo.png");
  expect((await facts({ APP_LOGO: "https://example.com/l.svg" })).app_logo).toBe("https://example.com/l.svg");
  expect((await facts({ APP_LOGO: "none" })).app_logo).toBeNull();
});

test.each(["/logo.png", "/user_avatar.png"])("%s is a picture that anybody may fetch and keep", async (path) => {
  const get = (method: string, headers: Record<string, string> = {}) =>
    runtime.runtime.http.handle(new Request(`http://localhost${path}`, { method, headers }), "127.0.0.1");
  const whole = await get("GET");
  const bytes = await whole.bytes();
  expect(whole.status).toBe(200);
  expect([...bytes.subarray(1, 4)]).toEqual([...Buffer.from("PNG")]);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": String(bytes.length),
    "cache-control": "public, max-age=86400",
    "x-content-type-options": "nosniff",
  });
  const etag = whole.headers.get("etag") ?? "";
  const head = await get("HEAD");
  expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
  const again = await get("GET", { "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});
