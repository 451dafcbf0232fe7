/**
 * Screens without a browser: whatever is sent to one, by whomever, it answers with a document, a way on, or a file, below
 * 500, and changes nothing for who may not change it. Routes come from the booted house, so a new screen is covered.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { RouteInfo } from "lectern/core";
import { digestOf } from "../support/digest.ts";
import { bootHouse, type TestHouse } from "../support/house.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 25);
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
setDefaultTimeout(180_000);

let house: TestHouse;
let cookies: { admin: string; short: string };
beforeAll(async () => {
  house = await bootHouse();
  const book = (await house.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  const chapter = (await house.ask("POST", "/api/chapters", { body: { name: "Chapter", book_id: book } })).body.id;
  await house.ask("POST", "/api/pages", { body: { name: "Page", chapter_id: chapter, markdown: "# Hi" } });
  await house.ask("POST", "/api/shelves", { body: { name: "Shelf", books: [book] } });
  await house.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "Board" } });
  await house.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: "Host" } });
  await house.ask("POST", "/api/webhooks", {
    body: { name: "Hook", endpoint: "https://example.com", events: ["all"], active: false },
  });
  const { id } = await house.person("short", []);
  await house.ask("PUT", `/api/users/${id}`, { body: { email: "short@example.com", password: "long enough" } });
  cookies = {
    admin: await signedIn("admin@example.com", "correct horse battery"),
    short: await signedIn("short@example.com", "long enough"),
  };
});
afterAll(() => house.stop());

async function signedIn(email: string, password: string): Promise<string> {
  const { headers } = await house.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

const screens = (method?: string): RouteInfo[] =>
  house.house.gates
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
  return house.house.gates.answer(request, "127.0.0.1");
}

test("nobody is shown a screen that is not for everybody; they are asked to sign in", async () => {
  const wrong: string[] = [];
  for (const { method, path, detail } of screens()) {
    if (detail["x-screen"] === "anyone") continue;
    const response = await visit(method, filled(path), "", method === "POST" ? "" : undefined);
    const to = response.headers.get("location") ?? "";
    // Forms are handed back with all that was in them, so that nothing typed is lost.
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
    expect([path, (await house.house.gates.answer(request, "127.0.0.1")).status]).toEqual([path, 403]);
  }
});

test("whatever a form holds, a user without rights changes nothing", async () => {
  const before = await digestOf(house.store);
  for (const { path, detail } of screens("POST")) {
    // What is their own is theirs to change, and so is their session.
    if (detail["x-screen"] === "anyone" || /account|logout/.test(path)) continue;
    const response = await visit(
      "POST",
      filled(path),
      cookies.short,
      "name=Mine&description=x&content=x&source=html&target=book:1",
    );
    expect([path, response.status < 500]).toEqual([path, true]);
  }
  expect(await digestOf(house.store)).toBe(before);
});

test("no screen and no form answers with a fault of ours, whatever is sent", async () => {
  const odd = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "",
      "0",
      "-1",
      "99999999999",
      "NaN",
      "%00",
      "%ff",
      "../..",
      "a".repeat(400),
      "[]",
      "null",
      "\u202e",
      "book",
    ),
  );
  const fields = [
    "name",
    "content",
    "source",
    "base_revision",
    "tags[0][name]",
    "tags",
    "places[1]",
    "target",
    "q",
    "page",
    "query",
    ...["token_name", "friendly_name", "allowed_ip_ranges", "expires_at", "zone", "max_hosts_per_day"],
    ...["endpoint", "events[]", "events", "timeout", "secret", "active", "days", "state", "status", "wanting"],
  ];
  const pairs = fc.array(fc.tuple(fc.constantFrom(...fields), odd), { maxLength: 5 });
  const form = pairs.map((list) =>
    list.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`).join("&"),
  );
  for (const { method, path } of screens()) {
    const paths = fc.tuple(
      ...path
        .split("/")
        .map((part) => (part.startsWith(":") ? fc.oneof(odd, fc.constant(filled(part))) : fc.constant(part))),
    );
    const property = fc.asyncProperty(
      paths,
      form,
      fc.constantFrom(cookies.admin, cookies.admin, cookies.short, ""),
      async (parts, sent, cookie) => {
        const at = parts
          .map((part, index) =>
            path.split("/")[index]?.startsWith(":") ? encodeURIComponent(part.toWellFormed()) : part,
          )
          .join("/");
        // Who signs out here would be somebody else in the next round.
        if (path === "/logout") return;
        const response = await (method === "GET"
          ? visit(method, `${at}?${sent}`, cookie)
          : visit(method, at, cookie, sent));
        const text = await response.text();
        expect(response.status).toBeLessThan(500);
        if (response.status >= 400 && text !== "") expect(text).toMatch(/^<!doctype html>|^\{"error"/);
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: 10_000 });
  }
});
