/**
 * Screens without a browser: who is let in, forms of other sites, and that nobody changes what they may not change. Routes come
 * from the booted runtime, so a new screen is covered. Hostile requests are in fuzz_screens_test.ts.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { RouteInfo } from "lectern/core";
import { storeHash } from "../support/harness/store_hash.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(180_000);

let runtime: TestRuntime;
let cookies: { admin: string; short: string };
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  const chapter = (await runtime.ask("POST", "/api/chapters", { body: { name: "Chapter", book_id: book } })).body.id;
  await runtime.ask("POST", "/api/pages", { body: { name: "Page", chapter_id: chapter, markdown: "# Hi" } });
  await runtime.ask("POST", "/api/shelves", { body: { name: "Shelf", books: [book] } });
  await runtime.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "Board" } });
  await runtime.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: "Host" } });
  await runtime.ask("POST", "/api/webhooks", {
    body: { name: "Hook", endpoint: "https://example.com", events: ["all"], active: false },
  });
  const { id } = await runtime.person("short", []);
  await runtime.ask("PUT", `/api/users/${id}`, { body: { email: "short@example.com", password: "long enough" } });
  cookies = {
    admin: await signedIn("admin@example.com", "correct horse battery"),
    short: await signedIn("short@example.com", "long enough"),
  };
});
afterAll(() => runtime.stop());

async function signedIn(email: string, password: string): Promise<string> {
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

const screens = (method?: string): RouteInfo[] =>
  runtime.runtime.http
    .routes()
    .filter((route) => route.detail["x-screen"] !== undefined && (method === undefined || route.method === method));

/** Paths with names that exist here, so that screens are reached and not only missed. */
const NAMES: Readonly<Record<string, string>> = { book: "book", chapter: "chapter", page: "page", shelf: "shelf" };
const filled = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => NAMES[name.replace(/Slug$/, "")] ?? "1");

async function visit(
  method: string,
  path: string,
  cookie: string,
  form?: string,
  headers: Record<string, string> = {},
) {
  const sent = new Headers({ accept: "text/html", cookie, "sec-fetch-site": "same-origin", ...headers });
  if (form !== undefined) sent.set("content-type", "application/x-www-form-urlencoded");
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: sent,
    ...(form === undefined ? {} : { body: form }),
  });
  return runtime.runtime.http.handle(request, "127.0.0.1");
}

test("nobody is shown a screen that is not for everybody; they are asked to sign in", async () => {
  const wrong: string[] = [];
  for (const { method, path, detail } of screens()) {
    if (detail["x-screen"] === "public") continue;
    const response = await visit(method, filled(path), "", method === "POST" ? "" : undefined);
    const to = response.headers.get("location") ?? "";
    // Refused forms are shown again with their input, so that nothing is lost.
    const isAsked = method === "GET" ? response.status === 303 && to.startsWith("/login") : response.status === 401;
    if (!isAsked) wrong.push(`${method} ${path}: ${response.status}`);
  }
  expect(screens().length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test("a form from another site is refused wherever it is sent", async () => {
  const { short: _, admin } = cookies;
  for (const { path } of screens("POST")) {
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      const response = await visit("POST", filled(path), admin, "name=x", headers as Record<string, string>);
      expect([path, response.status]).toEqual([path, 403]);
    }
    const request = new Request(`http://localhost${filled(path)}`, {
      method: "POST",
      headers: { cookie: admin, origin: "http://evil.test", host: "localhost" },
    });
    expect([path, (await runtime.runtime.http.handle(request, "127.0.0.1")).status]).toEqual([path, 403]);
  }
});

test("whatever a form holds, a user without rights changes nothing", async () => {
  const before = await storeHash(runtime.store);
  for (const { path, detail } of screens("POST")) {
    // Users may change their own account, and their session.
    if (detail["x-screen"] === "public" || /account|logout/.test(path)) continue;
    const response = await visit(
      "POST",
      filled(path),
      cookies.short,
      "name=Mine&description=x&content=x&source=html&target=book:1",
    );
    expect([path, response.status < 500]).toEqual([path, true]);
  }
  expect(await storeHash(runtime.store)).toBe(before);
});
