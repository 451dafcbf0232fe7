/**
 * Security headers of HTML. The routes come from the booted runtime, so a new screen is covered as it is; each is requested by the
 * administrator, by a user without permissions, and by a visitor, which includes screens of errors and the sign-in.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin, html, htmlResponse } from "lectern/core";
import type {} from "lectern/plugins";
import { crawl } from "../support/harness/crawl.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(240_000);

/** A plugin with a screen and with a document of its own. */
const notes = definePlugin({
  name: "noted",
  requires: ["web"],
  setup({ contracts: { web }, app }) {
    web.screen(app.site, "/noted", "public", () => ({ title: "Noted", body: html`<p>Noted</p>` }));
    app.site.get("/noted/plain", () => htmlResponse(html`<p>Plain</p>`), { permit: "public" });
  },
});

let runtime: TestRuntime;
let cookies: readonly string[];

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [notes] });
  const { id } = await runtime.person("short", []);
  await runtime.ask("PUT", `/api/users/${id}`, { body: { email: "short@example.com", password: "long enough" } });
  cookies = [
    await signedIn("admin@example.com", "correct horse battery"),
    await signedIn("short@example.com", "long enough"),
    "",
  ];
});
afterAll(() => runtime.stop());

async function signedIn(email: string, password: string): Promise<string> {
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function requested(path: string, cookie: string): Promise<Response> {
  const request = new Request(runtime.baseUrl + path, { headers: { cookie, accept: "text/html" } });
  return runtime.runtime.http.handle(request, "127.0.0.1");
}

/** What is missing from an HTML answer; nothing where it is complete, or is no HTML. */
function missing({ headers }: Response): string[] {
  if (headers.get("content-type")?.startsWith("text/html") !== true) return [];
  const policy = headers.get("content-security-policy") ?? "";
  // A browser refuses to open a sandboxed document that has an opener policy.
  if (/(?:^|;\s*)sandbox/.test(policy)) return [];
  const wanted: Record<string, boolean> = {
    "Content-Security-Policy": ["frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"].every((part) =>
      policy.includes(part),
    ),
    "Cross-Origin-Opener-Policy": headers.get("cross-origin-opener-policy") === "same-origin",
    "Permissions-Policy": /(?:^|, )camera=\(\)(?:,|$)/.test(headers.get("permissions-policy") ?? ""),
    "Referrer-Policy": headers.get("referrer-policy") === "same-origin",
    "X-Content-Type-Options": headers.get("x-content-type-options") === "nosniff",
  };
  return Object.keys(wanted).filter((name) => !wanted[name]);
}

test("every screen and every screen of an error has the security headers, whoever requests it", async () => {
  const { visited } = await crawl(runtime);
  const routes = runtime.runtime.http.routes().filter(({ method }) => method === "GET");
  const paths = new Set([...visited, ...routes.map(({ path }) => path.replace(/:\w+|\*/g, "1")), "/nowhere", "/%FF"]);
  const found: string[] = [];
  let documents = 0;
  for (const path of paths)
    for (const [who, cookie] of cookies.entries()) {
      const response = await requested(path, cookie);
      await response.body?.cancel();
      if (response.headers.get("content-type")?.startsWith("text/html")) documents += 1;
      for (const name of missing(response)) found.push(`${path} as ${who} (${response.status}): ${name}`);
    }
  expect(found).toEqual([]);
  expect(documents).toBeGreaterThan(150);
});

test("pages may still frame the allowed sites, and answers of the API stay as they are", async () => {
  const { headers } = await requested("/login", "");
  expect(headers.get("content-security-policy")).toContain("frame-src 'self' https://*.draw.io https://*.youtube.com ");
  expect(headers.get("permissions-policy")).not.toContain("fullscreen");
  const books = await runtime.ask("GET", "/api/books");
  expect([books.headers.get("permissions-policy"), books.headers.get("cross-origin-opener-policy")]).toEqual([
    null,
    null,
  ]);
});
