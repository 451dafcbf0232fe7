/**
 * `bun test/bench/http.ts [seconds] [word]`: requests per second and latency at 1, 16 and 64 connections of the runtime and of bare
 * Elysia routes (`bare.ts`, the listing also over Bun.SQL) over the same database in the same run; and of screens with a session
 * and of a search, compared with the page read. The two take turns, three rounds each; what is shown is the median round and
 * the ratio of the medians. With a word, only the cases whose names contain it.
 */
import postgres from "postgres";
import { medianRound, openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { load, type Outcome, type Shot } from "./load.ts";
import { record } from "./record.ts";

const PASSWORD = "bench password";
const IDLE_MS = 5_000;
const LECTERN_PORT = 18_080;
const BARE_PORT = 18_081;
const ROUNDS = 3;
const CONNECTIONS = [1, 16, 64];
const BOOKS = 1_000;
/** The pages that are read. */
const PAGES = 200;
const HTML = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(20)}`;
const headers = { authorization: `Token ${TOKEN}` };
const seconds = Number(process.argv[2] ?? 3);
const word = process.argv[3] ?? "";

const servers = await openBenchServers();

try {
  const env = { ...servers.env, ADMIN_PASSWORD: PASSWORD };
  const bun = process.execPath;
  await servers.start([bun, ...SERVE], { ...env, PORT: String(LECTERN_PORT) }, LECTERN_PORT);
  // The boot has come to its end, migrations and all.
  await Bun.sleep(IDLE_MS);
  await seed();
  await servers.start([bun, "test/bench/bare.ts"], { ...env, PORT: String(BARE_PORT) }, BARE_PORT);
  for (const [name, pair] of Object.entries(cases(await signIn()))) {
    if (name.includes(word)) for (const connections of CONNECTIONS) await compare(name, connections, pair);
  }
} finally {
  await servers.stop();
}

/** What is measured, and what it is compared with. */
interface Pair {
  readonly ours: Target;
  readonly theirs: Target;
}

interface Target {
  readonly name: string;
  readonly port: number;
  readonly shot: (n: number) => Shot;
}

function cases(cookie: string): Record<string, Pair> {
  const pageRead = (n: number): Shot => ({ method: "GET", path: `/api/pages/${(n % PAGES) + 1}`, headers });
  const againstBare = (shot: (n: number) => Shot): Pair => ({
    ours: { name: "Lectern", port: LECTERN_PORT, shot },
    theirs: { name: "bare", port: BARE_PORT, shot },
  });
  const besidePageRead = (name: string, shot: (n: number) => Shot): Pair => ({
    ours: { name, port: LECTERN_PORT, shot },
    theirs: { name: "page read", port: LECTERN_PORT, shot: pageRead },
  });
  const screen = (path: (n: number) => string) => (n: number) =>
    ({ method: "GET", path: path(n % PAGES), headers: { cookie, accept: "text/html" } }) satisfies Shot;
  return {
    "page read": againstBare(pageRead),
    "100 books": againstBare(() => ({ method: "GET", path: "/api/books", headers })),
    "100 books, Bun.SQL": {
      ours: { name: "Lectern", port: LECTERN_PORT, shot: () => ({ method: "GET", path: "/api/books", headers }) },
      theirs: { name: "bare", port: BARE_PORT, shot: () => ({ method: "GET", path: "/bun-sql/books", headers }) },
    },
    "100 books, bare with one JSON text": {
      ours: { name: "one JSON text", port: BARE_PORT, shot: () => ({ method: "GET", path: "/json-text/books" }) },
      theirs: { name: "bare", port: BARE_PORT, shot: () => ({ method: "GET", path: "/api/books" }) },
    },
    "page create": againstBare((n) => ({
      method: "POST",
      path: "/api/pages",
      headers,
      body: JSON.stringify({ book_id: (n % BOOKS) + 1, name: `Page ${crypto.randomUUID()}`, html: HTML }),
    })),
    "page update": againstBare((n) => ({
      method: "PUT",
      path: `/api/pages/${(n % PAGES) + 1}`,
      headers,
      body: JSON.stringify({ html: `${HTML}<p>${n}</p>` }),
    })),
    "book read": againstBare((n) => ({ method: "GET", path: `/api/books/${(n % PAGES) + 1}`, headers })),
    "page screen": besidePageRead(
      "screen",
      screen((n) => `/books/book-${n}/page/page-${n}`),
    ),
    "book screen": besidePageRead(
      "screen",
      screen((n) => `/books/book-${n}`),
    ),
    search: besidePageRead("search", (n) => ({
      method: "GET",
      path: `/api/search?query=node%20page%20${n % PAGES}`,
      headers,
    })),
  };
}

async function compare(name: string, connections: number, { ours, theirs }: Pair): Promise<void> {
  const outcomes: Record<"ours" | "theirs", Outcome[]> = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    outcomes.theirs.push(await load(theirs.port, connections, seconds, theirs.shot));
    outcomes.ours.push(await load(ours.port, connections, seconds, ours.shot));
  }
  const [our, their] = [medianRound(outcomes.ours), medianRound(outcomes.theirs)];
  const refused = [...outcomes.ours, ...outcomes.theirs].reduce((sum, outcome) => sum + outcome.refused, 0);
  record("Requests per second", {
    case: name,
    connections,
    measured: ours.name,
    "/s": Math.round(our.perSecond),
    "p50 ms": our.p50.toFixed(2),
    "p99 ms": our.p99.toFixed(2),
    beside: theirs.name,
    "its /s": Math.round(their.perSecond),
    "its p50 ms": their.p50.toFixed(2),
    "its p99 ms": their.p99.toFixed(2),
    ratio: (our.perSecond / their.perSecond).toFixed(2),
    refused,
  });
}

/** The cookie of a session. */
async function signIn(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${LECTERN_PORT}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
  });
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function seed(): Promise<void> {
  const post = (path: string, body: unknown) =>
    fetch(`http://127.0.0.1:${LECTERN_PORT}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  for (let n = 0; n < BOOKS; n++)
    await post("/api/books", { name: `Book ${n}`, description: "What to do when something breaks" });
  for (let n = 0; n < PAGES; n++)
    await post("/api/pages", { book_id: n + 1, name: `Page ${n}`, html: HTML, tags: [{ name: "team", value: "ops" }] });
  // As autovacuum does within a minute. Until then plans are those for empty tables, which read indexes of all pages at each create.
  const admin = postgres(servers.url, { max: 1 });
  await admin.unsafe("vacuum analyze");
  await admin.end();
}
