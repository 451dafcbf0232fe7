/**
 * `bun test/bench/cached.ts [seconds] [connections…]`: a page read whose answer has 20 KB: cached, with
 * ANSWER_CACHE_BYTES=0, of a bare Elysia route that asks the store (`bare.ts`), and of a hand-written server with a map for a cache
 * (`bare_bytes.ts`). They take turns, three rounds each; what is shown is the median round: requests per second, processor time of the server's process for
 * a request, and the rates of Lectern with and without its cache as ratios to it. At 1, 16 and 64 connections unless they are given.
 */
import { medianRound, openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { type Cost, costOf, type Measured, medianCost } from "./cpu.ts";
import type { Shot } from "./load.ts";
import { record } from "./record.ts";

const ROUNDS = 3;
const PAGES = 200;
const PORTS = { cached: 18_090, uncached: 18_091, bare: 18_092, bytes: 18_093 };
const CACHED = "cached";
const UNCACHED = "uncached";
/** The answer holds the HTML twice. */
const HTML = "<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(115);
const headers = { authorization: `Token ${TOKEN}` };
const seconds = Number(process.argv[2] ?? 3);
const connectionsOf = process.argv.slice(3).map(Number);

const servers = await openBenchServers();

try {
  const [id, secret] = TOKEN.split(":");
  const env = { ...servers.env, BARE_TOKEN: id, BARE_SECRET: secret };
  const pages: number[] = [];
  const shot = (n: number): Shot => ({ method: "GET", path: `/api/pages/${pages[n % PAGES]}`, headers });
  const start = async (command: readonly string[], more: Record<string, string>, port: number): Promise<Measured> => {
    const { pid } = await servers.start([process.execPath, ...command], { ...env, ...more, PORT: String(port) }, port);
    return { port, pid, shot };
  };
  const from = { BYTES_FROM: `http://127.0.0.1:${PORTS.uncached}` };
  const targets = {
    [CACHED]: await start(SERVE, {}, PORTS.cached),
    [UNCACHED]: await start(SERVE, { ANSWER_CACHE_BYTES: "0" }, PORTS.uncached),
    "bare, asks the store": await start(["test/bench/bare.ts"], {}, PORTS.bare),
    "bare, a map for a cache": await start(["test/bench/bare_bytes.ts"], from, PORTS.bytes),
  };
  pages.push(...(await seed()));
  for (const connections of connectionsOf.length > 0 ? connectionsOf : [1, 16, 64]) {
    const costs = new Map<string, Cost[]>(Object.keys(targets).map((name) => [name, []]));
    for (let round = 0; round <= ROUNDS; round++)
      for (const [name, measured] of Object.entries(targets)) {
        const cost = await costOf(measured, connections, seconds);
        // The first round warms up.
        if (round > 0) costs.get(name)?.push(cost);
      }
    const [cached, uncached] = [CACHED, UNCACHED].map((name) => medianRound(costs.get(name) ?? []).perSecond);
    for (const [name, all] of costs) {
      const { perSecond, p50, p99, refused } = medianRound(all);
      record("Reads of a page whose answer has 20 KB", {
        connections,
        server: name,
        "per second": Math.round(perSecond),
        "p50 ms": p50.toFixed(2),
        "p99 ms": p99.toFixed(2),
        "CPU, µs": medianCost(all).cpuUs.toFixed(1),
        "cached, as a ratio to it": ((cached ?? 0) / perSecond).toFixed(2),
        "uncached, as a ratio to it": ((uncached ?? 0) / perSecond).toFixed(2),
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
