/**
 * `bun test/bench/cached.ts [seconds] [connections…]`: requests per second of a page read whose answer has 20 KB: cached, with
 * ANSWER_CACHE_BYTES=0, of a bare Elysia route that asks the store (`bare.ts`), and of one that answers bytes behind a lookup of
 * the token (`bare_bytes.ts`). They take turns, three rounds each; what is shown is the median round and its ratio to the cached one. At 1, 16 and
 * 64 connections unless they are given.
 */
import { medianRound, openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { load, type Outcome, type Shot } from "./load.ts";
import { record } from "./record.ts";

const ROUNDS = 3;
const PAGES = 200;
const PORTS = { cached: 18_090, uncached: 18_091, bare: 18_092, bytes: 18_093 };
/** The answer holds the HTML twice. */
const HTML = "<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(115);
const headers = { authorization: `Token ${TOKEN}` };
const seconds = Number(process.argv[2] ?? 3);
const connectionsOf = process.argv.slice(3).map(Number);

const servers = await openBenchServers();

try {
  const [id, secret] = TOKEN.split(":");
  const env = { ...servers.env, BARE_TOKEN: id, BARE_SECRET: secret };
  const start = (command: readonly string[], more: Record<string, string>, port: number) =>
    servers.start([process.execPath, ...command], { ...env, ...more, PORT: String(port) }, port);
  await start(SERVE, {}, PORTS.cached);
  await start(SERVE, { ANSWER_CACHE_BYTES: "0" }, PORTS.uncached);
  await start(["test/bench/bare.ts"], {}, PORTS.bare);
  const from = { BYTES_FROM: `http://127.0.0.1:${PORTS.uncached}` };
  await start(["test/bench/bare_bytes.ts"], from, PORTS.bytes);
  const pages = await seed();
  const read = (n: number): Shot => ({ method: "GET", path: `/api/pages/${pages[n % PAGES]}`, headers });
  const targets = {
    cached: { port: PORTS.cached, shot: read },
    uncached: { port: PORTS.uncached, shot: read },
    "bare, asks the store": { port: PORTS.bare, shot: read },
    "bare, bytes behind a token": { port: PORTS.bytes, shot: read },
  };
  for (const connections of connectionsOf.length > 0 ? connectionsOf : [1, 16, 64]) {
    const outcomes = new Map<string, Outcome[]>(Object.keys(targets).map((name) => [name, []]));
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, { port, shot }] of Object.entries(targets)) {
        const outcome = await load(port, connections, seconds, shot);
        // The first round warms up.
        if (round > 0) outcomes.get(name)?.push(outcome);
      }
    const cached = medianRound(outcomes.get("cached") ?? []);
    for (const [name, all] of outcomes) {
      const { perSecond, p50, p99, refused } = medianRound(all);
      record("Reads of a page whose answer has 20 KB", {
        connections,
        server: name,
        "per second": Math.round(perSecond),
        "p50 ms": p50.toFixed(2),
        "p99 ms": p99.toFixed(2),
        "cached, as a ratio to it": (cached.perSecond / perSecond).toFixed(2),
        refused,
      });
    }
  }
} finally {
  await servers.stop();
}

/** Makes the pages. Returns their ids. */
async function seed(): Promise<number[]> {
  const post = async (path: string, body: object) => {
    const made = await fetch(`http://127.0.0.1:${PORTS.cached}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return ((await made.json()) as { id: number }).id;
  };
  const book = await post("/api/books", { name: "Runbooks" });
  const ids: number[] = [];
  for (let n = 0; n < PAGES; n++) ids.push(await post("/api/pages", { book_id: book, name: `Page ${n}`, html: HTML }));
  return ids;
}
