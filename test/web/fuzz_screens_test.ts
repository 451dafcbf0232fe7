/**
 * Screens, forms and files outside the API under hostile requests: for any path, query, form, method and viewer the answer is a
 * document, a file, a redirect or the one error shape, below 500. Routes come from the booted runtime and the names of fields
 * from the forms it shows, so a new screen is covered as it is. FUZZ_RUNS sets the requests per route and method, FUZZ_SEED the
 * seed.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { RouteInfo } from "lectern/core";
import {
  type HostileBody,
  hostileBody,
  hostileHeaders,
  hostileId,
  hostileQuery,
} from "../support/data/hostile_inputs.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 13);
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.DATABASE_URL ? 20_261_122 : 20_261_121));
/** No route takes longer than this, however slow the machine and its passwords. */
const ROUTE_MS = 10_000;
setDefaultTimeout(240_000);

/** Parts of paths that break servers: invalid encodings, path traversal, numbers beyond every column. */
const HOSTILE_PARTS =
  "%FF %00 1%00 %C0%AF %E0%80%AF %F8%88%80%80%AF %ED%A0%80 ..%2f ..%2F..%2Fetc%2Fpasswd %2e%2e%2f %2e . -1 -0 0 1e3 0x1 2147483648 9007199254740993 99999999999999999999 %25FF %zz % %0d%0a %E2%80%AE".split(
    " ",
  );

let runtime: TestRuntime;
let cookies: { readonly admin: string; readonly short: string };

beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  const chapter = (await runtime.ask("POST", "/api/chapters", { body: { name: "Chapter", book_id: book } })).body.id;
  await runtime.ask("POST", "/api/pages", { body: { name: "Page", chapter_id: chapter, markdown: "# Hi" } });
  await runtime.ask("POST", "/api/shelves", { body: { name: "Shelf", books: [book] } });
  await runtime.ask("POST", "/api/comments", { body: { page_id: 1, html: "<p>Hello</p>" } });
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

/** Everything outside the API: screens, forms, and addresses of files. */
function siteRoutes(method: string): RouteInfo[] {
  return runtime.runtime.http.routes().filter((route) => !/^\/api(\/|$)/.test(route.path) && route.method === method);
}

/** Paths with names that exist here, so that screens are reached and not only missed. */
const NAMES: Readonly<Record<string, string>> = { book: "book", chapter: "chapter", page: "page", shelf: "shelf" };
const nameFor = (part: string) => NAMES[part.slice(1).replace(/Slug$/, "")] ?? "1";
const isOpen = (part: string) => part.startsWith(":") || part === "*";

function pathsOf(path: string): fc.Arbitrary<string> {
  const long = fc.constantFrom("a".repeat(5_000), "%F0%9F%92%A5".repeat(500), `${"../".repeat(50)}etc`);
  const part = (name: string) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(nameFor(name)) },
      { weight: 5, arbitrary: fc.constantFrom(...HOSTILE_PARTS) },
      { weight: 3, arbitrary: hostileId([1]) },
      { weight: 1, arbitrary: long },
    );
  return fc
    .tuple(...path.split("/").map((name) => (isOpen(name) ? part(name) : fc.constant(name))))
    .map((parts) => parts.join("/"));
}

/** A request as plain data. */
interface Shot {
  readonly path: string;
  readonly query: string;
  readonly cookie: string;
  readonly accept: string;
  readonly headers: Record<string, string>;
  readonly body?: HostileBody;
}

function shotsAt({ path, method }: RouteInfo, fields: readonly string[]): fc.Arbitrary<Shot> {
  const shot = {
    path: pathsOf(path),
    query: fc.oneof(fc.constant(""), hostileQuery(["q", "page", "search", "sort", "revision"])),
    cookie: fc.constantFrom(cookies.admin, cookies.admin, cookies.admin, cookies.short, ""),
    accept: fc.constantFrom("text/html", "text/html", "*/*"),
    headers: hostileHeaders,
  };
  if (method !== "POST") return fc.record(shot);
  // A few of the fields at a time: with more a form is refused for its first invalid one.
  const some = fc.shuffledSubarray([...fields], { maxLength: 8 });
  const body = some.chain((names) => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    return hostileBody({ type: "object", properties }, {});
  });
  return fc.record({ ...shot, body });
}

async function send(method: string, { path, query, cookie, accept, headers, body }: Shot): Promise<Response> {
  const sent = new Headers({ ...headers, accept, cookie, "sec-fetch-site": "same-origin" });
  if (body?.type !== undefined) sent.set("content-type", body.type);
  const url = `http://localhost${path}${query === "" ? "" : `?${query}`}`;
  const request = new Request(url, { method, headers: sent, ...(body ? { body: body.bytes } : {}) });
  return runtime.runtime.http.handle(request, "127.0.0.1");
}

async function checkAnswer(method: string, shot: Shot): Promise<void> {
  const response = await send(method, shot);
  const text = await response.text();
  // The jobs of the runtime of this test do not run, so it is not ready.
  if (!shot.path.startsWith("/ready") || response.status !== 503) expect(response.status).toBeLessThan(500);
  if (method === "HEAD") expect(text).toBe("");
  else if (response.status >= 400) expect(text).toMatch(/^<!doctype html>|^\{"error"/);
}

async function holds(route: RouteInfo, method: string, shots: fc.Arbitrary<Shot>): Promise<void> {
  const property = fc.asyncProperty(shots, (shot) => checkAnswer(method, shot));
  const found = await fc.check(property, { seed: SEED, numRuns: RUNS, interruptAfterTimeLimit: ROUTE_MS });
  if (!found.failed || found.counterexample === null) return;
  const [{ body, ...shot }] = found.counterexample;
  const sent = body && { type: body.type, text: new TextDecoder().decode(body.bytes).slice(0, 1_500) };
  throw new Error(
    `FUZZ_SEED=${found.seed}, path ${found.counterexamplePath}: ${method} ${route.path} ` +
      `${JSON.stringify(shot).slice(0, 1_500)} ${JSON.stringify(sent)}`,
    { cause: found.errorInstance },
  );
}

/** The names of all fields of all forms on the administrator's screens. */
async function fieldsShown(): Promise<string[]> {
  const names = new Set<string>();
  for (const { path } of siteRoutes("GET")) {
    const at = path
      .split("/")
      .map((part) => (isOpen(part) ? nameFor(part) : part))
      .join("/");
    const shot = { path: at, query: "", cookie: cookies.admin, accept: "text/html", headers: {} };
    const text = await (await send("GET", shot)).text();
    for (const [, name = ""] of text.matchAll(/<(?:input|select|textarea|button)\b[^>]*\sname="([^"]+)"/g))
      names.add(name);
  }
  return [...names];
}

test("a HEAD is answered as the GET is, refused and missing screens too", async () => {
  const heads = ["content-type", "content-security-policy", "location", "content-length"];
  for (const path of ["/", "/books/nothing", "/settings/users", "/settings/users/%FF", "/nowhere", "/login", "/logout"])
    for (const cookie of [cookies.admin, cookies.short, ""]) {
      const shot = { path, query: "", cookie, accept: "text/html", headers: {} };
      const got = await send("GET", shot);
      const head = await send("HEAD", shot);
      const size = String((await got.bytes()).length);
      const { status, headers } = got;
      expect([path, head.status, await head.text()]).toEqual([path, status, ""]);
      if (status < 300 || status >= 400) expect([path, head.headers.get("content-length")]).toEqual([path, size]);
      for (const name of heads.slice(1, -1)) expect(head.headers.get(name)).toBe(headers.get(name));
    }
});

test("an address whose name cannot be decoded is a page nobody finds, for the API and for screens", async () => {
  for (const name of ["%FF", "%C0%AF", "%00", "..%2f"]) {
    const shot = {
      path: `/settings/users/${name}`,
      query: "",
      cookie: cookies.admin,
      accept: "text/html",
      headers: {},
    };
    expect([name, (await send("GET", shot)).status]).toEqual([name, 404]);
    expect([name, (await runtime.ask("GET", `/api/users/${name}`)).status]).toEqual([name, 404]);
  }
});

test("no address outside the API answers a GET or a HEAD with a server error", async () => {
  expect(siteRoutes("GET").length).toBeGreaterThan(30);
  for (const route of siteRoutes("GET"))
    for (const method of ["GET", "HEAD"]) await holds(route, method, shotsAt(route, []));
});

test("no form answers with a server error, whatever is in it", async () => {
  const fields = await fieldsShown();
  expect(fields).toContain("name");
  expect(fields.length).toBeGreaterThan(30);
  for (const route of siteRoutes("POST")) {
    // Signing out would make the next round another viewer's.
    if (route.path !== "/logout") await holds(route, "POST", shotsAt(route, fields));
  }
});
