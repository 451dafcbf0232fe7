/**
 * Any request is answered below 500, or with one of the few 500s of the wire contract, in the one error shape, and the runtime
 * goes on. Routes come from the booted runtime and bodies from the rules that the routes declare, so a new plugin is covered as
 * it is. FUZZ_RUNS sets the requests per route, FUZZ_SEED the seed; each store gets requests of its own. A failure prints the
 * seed and path that repeat it.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { type EndpointSpec, type ItemSchemas, type RouteInfo, schemaOf } from "lectern/core";
import {
  type HostileBody,
  hostileBody,
  hostileCredentials,
  hostileHeaders,
  hostileId,
  hostileQuery,
  type Ids,
} from "../support/data/hostile_inputs.ts";
import { portable, upload } from "../support/data/sample_zips.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 40);
const SEED = Number(process.env.FUZZ_SEED ?? (process.env.DATABASE_URL ? 20_240_602 : 20_240_601));
/** No route takes longer than this, however slow the machine and its passwords. */
const ROUTE_MS = RUNS * 20;
const SHOWN = 1_500;
/** The 500s a client may see (content-api 1.4, platform 4 and 5): of roles and users that must stay. */
const CONTRACT_500 = new Set([
  "This role is a system role and cannot be deleted",
  "This role cannot be deleted while set as the default registration role",
  "You cannot delete the only admin",
  "You cannot delete the guest user",
  "This user is the only user assigned to the administrator role. Assign the administrator role to another user before attempting to remove it here.",
  // Not of the contract: a service that the operator has not set up (503).
  "This instance sends no mail; ask its administrator for a new password",
  // The jobs of the runtime of this test do not run (503).
  "The server is not ready",
]);

/** Where clients read errors as plain texts (dashboard-stats 3.4). */
const PLAIN_ERRORS = /^\/api\/v1\/(?!dashboard\/(?:keys|hosts|reporter))/;

/** A request as plain data. */
interface Shot {
  readonly path: string;
  readonly query?: string | undefined;
  readonly as: string;
  readonly headers: Record<string, string>;
  readonly body?: HostileBody;
}

let runtime: TestRuntime;
let reader: string;
let known: { id: number; book: number; text: string };
/** Ids that no request may name, so that there is something to come back to. */
const kept = new Map<string, readonly number[]>();

setDefaultTimeout(Math.max(300_000, RUNS * 4_000));

beforeAll(async () => {
  runtime = await bootTestRuntime({
    env: { LOG_LEVEL: process.env.LOG_LEVEL ?? "silent", DASHBOARD_RATE_LIMIT_MAX: "0" },
  });
  const person = await runtime.person("reader", ["access-api"]);
  reader = person.token;
  const make = async (path: string, body: unknown) => (await runtime.ask("POST", path, { body })).body.id as number;
  const book = await make("/api/books", { name: "Kept" });
  const id = await make("/api/pages", { book_id: book, name: "Kept", html: "<p>Kept as it is.</p>" });
  known = { id, book, text: await textOf(id) };
  kept.set("books", [book]).set("pages", [id]).set("users", [1, person.id]).set("roles", [1, person.role]);
  for (let at = 0; at < 12; at++) {
    const own = await make("/api/books", { name: `Book ${at}`, tags: [{ name: "a", value: "b" }] });
    const chapter = await make("/api/chapters", { name: `Chapter ${at}`, book_id: own });
    const page = await make("/api/pages", { name: `Page ${at}`, chapter_id: chapter, markdown: "# Hello {{@1}}" });
    await make("/api/comments", { page_id: page, html: "<p>Hello</p>" });
    await make("/api/shelves", { name: `Shelf ${at}`, books: [own] });
    await make("/api/roles", { display_name: `Role ${at}` });
    await upload(runtime, portable({ page: { name: `Packed ${at}`, html: "<p>x</p>" } }));
  }
});
afterAll(() => runtime.stop());

const collectionOf = (path: string) => path.split("/")[2] ?? "";

/** Ids that may be changed and deleted, by collection. */
async function idsOf(listings: readonly string[]): Promise<Ids> {
  const ids: Record<string, readonly number[]> = {};
  for (const path of listings) {
    const { body } = await runtime.ask("GET", `${path}?count=20&sort=-id`);
    const all: number[] = body.data.map((row: { id: number }) => row.id);
    const name = collectionOf(path);
    ids[name] = all.filter((id) => !kept.get(name)?.includes(id));
  }
  return ids;
}

/** Paths that answer with a list of rows. */
async function listingPaths(): Promise<string[]> {
  const found: string[] = [];
  for (const { method, path } of apiRoutes()) {
    if (method !== "GET" || path.includes(":")) continue;
    const { body } = await runtime.ask("GET", `${path}?count=1`);
    if (Array.isArray(body?.data)) found.push(path);
  }
  return found;
}

async function fire(method: string, { path, query, as, headers, body }: Shot): Promise<void> {
  const sent = new Headers({ ...headers, ...(as === "" ? {} : { authorization: as }) });
  if (body?.type !== undefined) sent.set("content-type", body.type);
  const url = `http://localhost${path}${query === undefined ? "" : `?${query}`}`;
  const request = new Request(url, { method, headers: sent, ...(body ? { body: body.bytes } : {}) });
  const response = await runtime.runtime.http.handle(request, "127.0.0.1");
  if (method !== "HEAD") return checkAnswer(path, response);
  const isProbe = path.startsWith("/ready") && response.status === 503;
  expect([isProbe || response.status < 500, await response.text()]).toEqual([true, ""]);
}

const DAY = "public, max-age=86400";
const HOUR = "public, max-age=3600";
const FOREVER = "public, max-age=31536000, immutable";
/** What ships with the server is the same for everybody; a script whose address names its version is kept forever. */
const SHIPPED: ReadonlyMap<string, string> = new Map([
  ["/logo.png", DAY],
  ["/user_avatar.png", DAY],
  ...["favicon.ico", "icon_192.png", "icon_512.png"].map((name) => [`/${name}`, DAY] as const),
  ...["manifest.json", "opensearch.xml", "robots.txt", "sitemap.xml", "sitemap-1.xml"].map(
    (name) => [`/${name}`, HOUR] as const,
  ),
  ["/web/diagrams/library.js", FOREVER],
  // Its address has the colours.
  ["/web/colors.css", FOREVER],
]);

/** What holds for every answer of the runtime. */
async function checkAnswer(path: string, response: Response): Promise<void> {
  const { status, headers } = response;
  const type = headers.get("content-type");
  const content = await response.text();
  const shipped = status < 400 || status === 416 ? SHIPPED.get(path.split("?", 1)[0] as string) : undefined;
  // Browsers keep screens, and nothing of the API.
  const isKept = headers.has("etag") && type?.startsWith("text/html") === true && !/^\/api\b/.test(path);
  expect(headers.get("cache-control")).toBe(isKept ? "private, no-cache" : (shipped ?? "no-cache, no-store, private"));
  if (type === "application/json" && content !== "") JSON.parse(content);
  if (status < 400) {
    if (content !== "")
      expect(type).toMatch(
        /^(application\/(json|manifest\+json|xml|opensearchdescription\+xml)|text\/(html|css|javascript|plain)|image\/|application\/octet-stream$)/,
      );
    return;
  }
  // Outside the API errors are documents, where a document is accepted.
  if (!path.startsWith("/api") && type?.startsWith("text/html")) {
    expect([status < 500, content.startsWith("<!doctype html>")]).toEqual([true, true]);
    return;
  }
  expect([status, type]).toEqual([status, "application/json"]);
  const { error } = JSON.parse(content) as { error: { code: number; message: string } };
  if (PLAIN_ERRORS.test(path) && typeof error === "string") {
    expect(status).toBeLessThan(500);
    return;
  }
  expect(error.code).toBe(status);
  expect(error.message).toBeString();
  // A failed import has a message of its own (platform 8.6).
  if (status >= 500 && !error.message.startsWith("ZIP import failed with the following errors: \n"))
    expect([...CONTRACT_500]).toContain(error.message);
}

async function holds(runs: number, method: string, shots: fc.Arbitrary<Shot>): Promise<void> {
  const property = fc.asyncProperty(shots, (shot) => fire(method, shot));
  const options = { seed: SEED, numRuns: runs, interruptAfterTimeLimit: ROUTE_MS };
  const found = await fc.check(property, options);
  if (found.failed && found.counterexample !== null) {
    const [{ body, ...shot }] = found.counterexample;
    const sent = body && { type: body.type, text: new TextDecoder().decode(body.bytes) };
    throw new Error(
      `FUZZ_SEED=${found.seed}, path ${found.counterexamplePath}, after ${found.numRuns} runs: ${method} ` +
        `${JSON.stringify(shot).slice(0, SHOWN)} ${JSON.stringify(sent)?.slice(0, SHOWN)}`,
      { cause: found.errorInstance },
    );
  }
  expect(await textOf(known.id)).toBe(known.text);
}

/**
 * A page without its comments: `true` is the number 1 to an integer rule, so that any page may be commented on. Nor the
 * people on it, as everybody may rename themselves.
 */
async function textOf(id: number): Promise<string> {
  const {
    comments: _,
    created_by: _made,
    updated_by: _changed,
    owned_by: _owned,
    ...page
  } = (await runtime.ask("GET", `/api/pages/${id}`)).body;
  return JSON.stringify(page);
}

/** Viewers: mostly the administrator, whose requests get furthest. */
function callers(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(`Token ${runtime.token}`) },
    { weight: 2, arbitrary: fc.constant(`Token ${reader}`) },
    { weight: 1, arbitrary: hostileCredentials },
  );
}

function paths({ path }: RouteInfo, ids: Ids): fc.Arbitrary<string> {
  const of = hostileId(ids[collectionOf(path)] ?? []);
  return fc
    .tuple(...path.split("/").map((part) => (part.startsWith(":") || part === "*" ? of : fc.constant(part))))
    .map((parts) => parts.join("/"));
}

function shotsAt(route: RouteInfo, ids: Ids): fc.Arbitrary<Shot> {
  const facts = route.detail["x-facts"] as EndpointSpec | undefined;
  const query = fc.option(hostileQuery(["name", "id", "created_at"]), { nil: undefined, freq: 4 });
  const asked = { path: paths(route, ids), as: callers(), headers: hostileHeaders, query };
  if (route.method === "GET") return fc.record(asked);
  return fc.record({ ...asked, body: hostileBody(schemaOf(facts?.rules ?? {}, itemSchemas()), ids) });
}

/** What elements of lists look like, as plugins say. */
function itemSchemas(): ItemSchemas {
  const contributed = runtime.contexts.get("docs")?.slot("list_item_schema") ?? [];
  return Object.fromEntries(contributed.map(({ field, schema }) => [field, schema]));
}

/** Routes but those of screens, which answer with documents and have a test of their own (`fuzz_screens_test.ts`). */
function apiRoutes(): RouteInfo[] {
  return runtime.runtime.http.routes().filter(({ detail }) => detail["x-screen"] === undefined);
}

test("every request to any route is answered with a documented answer or the error shape", async () => {
  const routes = apiRoutes();
  expect(routes.length).toBeGreaterThan(30);
  const listings = await listingPaths();
  let ids = await idsOf(listings);
  for (const route of routes) {
    await holds(RUNS, route.method, shotsAt(route, ids));
    if (route.method !== "GET") ids = await idsOf(listings);
  }
});

test("no HEAD to any route is answered with a server error or a body", async () => {
  const ids = await idsOf(await listingPaths());
  for (const route of apiRoutes())
    if (route.method === "GET") await holds(Math.ceil(RUNS / 5), "HEAD", shotsAt(route, ids));
});

test("every field of every listing takes every operator and value", async () => {
  for (const path of await listingPaths()) {
    const { body } = await runtime.ask("GET", `${path}?count=1`);
    const fields = Object.keys(body.data[0] ?? { id: 1, name: "" });
    const shot = { path: fc.constant(path), as: callers(), headers: hostileHeaders, query: hostileQuery(fields) };
    await holds(RUNS * 4, "GET", fc.record(shot));
  }
});

test("unknown paths and methods are answered in the error shape", async () => {
  const part = hostileId([999_999]);
  const path = fc.array(fc.oneof(part, fc.constantFrom("api", "books", "", ".", "API")), { maxLength: 6 });
  const shot = { path: path.map((parts) => `/${parts.join("/")}`), as: callers(), headers: hostileHeaders };
  for (const method of ["GET", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "POST"])
    await holds(RUNS, method, fc.record(shot));
});

test("plugins declare the rules of their bodies, so that these are tried here", () => {
  const untold = apiRoutes().filter(
    ({ method, detail }) => /POST|PUT|PATCH/.test(method) && !(detail["x-facts"] as EndpointSpec)?.rules,
  );
  expect(untold.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
