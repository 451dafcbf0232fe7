/**
 * `bun test/bench/team.ts [seconds]`: 500 users of ten roles read 300 pages, the n-th most popular one in proportion to 1/n (Zipf), whose answers have
 * 47 KB, with an answer cache of 64 MB and without one. They take turns, three rounds each; shown is the median round: reads a second,
 * their ratio to those without a cache, what the cache answered, and the memory of the server's process after all rounds. Then the same
 * with two writes among a hundred requests, each to a page that is chosen as those that are read, and by one user alone.
 * Every tenth user owns pages; a tenth of the pages is open to some roles only.
 */
import { readFileSync } from "node:fs";
import { medianRound, openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { load, type Outcome, type Shot } from "./load.ts";
import { record } from "./record.ts";

const ROUNDS = 3;
const USERS = 500;
const ROLES = 10;
const PAGES = 300;
const CONNECTIONS = 16;
const CACHE_BYTES = 64_000_000;
const SHARE_OF_WRITES = 0.02;
const PORTS = { cached: 18_094, uncached: 18_095 };
/** The answer holds the HTML twice. */
const HTML = "<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(275);
const seconds = Number(process.argv[2] ?? 5);
const METRICS_TOKEN = "team";
const admin = `Token ${TOKEN}`;

/** Numbers between 0 and 1, the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Chooses an index, the n-th in proportion to 1/n. */
function zipf(count: number, random: () => number): () => number {
  const sums: number[] = [];
  for (let n = 1; n <= count; n++) sums.push((sums.at(-1) ?? 0) + 1 / n);
  const total = sums.at(-1) ?? 0;
  return () => {
    const at = random() * total;
    return sums.findIndex((sum) => sum >= at);
  };
}

async function send<Body>(method: string, path: string, body: object): Promise<Body> {
  const answer = await fetch(`http://127.0.0.1:${PORTS.cached}${path}`, {
    method,
    headers: { authorization: admin, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Body;
}

/** Makes roles, users, pages and who sees them. */
async function seed(): Promise<{ readonly tokens: readonly string[]; readonly pages: readonly number[] }> {
  const permissions = ["access-api", ...["bookshelf", "book", "chapter", "page"].map((kind) => `${kind}-view-all`)];
  const roles: number[] = [];
  for (let n = 0; n < ROLES; n++)
    roles.push((await send<{ id: number }>("POST", "/api/roles", { display_name: `Team ${n}`, permissions })).id);
  const users: number[] = [];
  const tokens: string[] = [];
  for (let n = 0; n < USERS; n++) {
    const own = [roles[n % ROLES], ...(n % 7 === 0 ? [roles[(n + 3) % ROLES]] : [])];
    const user = { name: `User ${n}`, email: `user-${n}@example.com`, roles: own };
    const { id } = await send<{ id: number }>("POST", "/api/users", user);
    const token = await send<{ token_id: string; secret: string }>("POST", `/api/users/${id}/tokens`, {
      name: "bench",
    });
    users.push(id);
    tokens.push(`Token ${token.token_id}:${token.secret}`);
  }
  const { id: book } = await send<{ id: number }>("POST", "/api/books", { name: "Runbooks" });
  const pages: number[] = [];
  for (let n = 0; n < PAGES; n++) {
    const { id } = await send<{ id: number }>("POST", "/api/pages", { book_id: book, name: `Page ${n}`, html: HTML });
    pages.push(id);
    const owned = { owner_id: users[(n * 10) % USERS] };
    const open = [0, 1, 2, 3, 4].map((at) => roles[(n + at) % ROLES]);
    const view = { view: true, create: false, update: false, delete: false };
    await send("PUT", `/api/content-permissions/page/${id}`, {
      ...owned,
      ...(n % 10 === 9 && {
        role_permissions: open.map((role_id) => ({ role_id, ...view })),
        fallback_permissions: { inheriting: false, ...view, view: false },
      }),
    });
  }
  return { tokens, pages };
}

/** Counts of the answer cache, by name. */
async function cacheCounts(): Promise<{ readonly hits: number; readonly misses: number }> {
  const answer = await fetch(`http://127.0.0.1:${PORTS.cached}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  const text = await answer.text();
  const counterOf = (name: string) => Number(new RegExp(`^lectern_answer_cache_${name} (\\d+)`, "m").exec(text)?.[1]);
  return { hits: counterOf("hits_total"), misses: counterOf("misses_total") };
}

function megabytes(pid: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);
}

const servers = await openBenchServers();
try {
  const start = (bytes: number, port: number) =>
    servers.start(
      [process.execPath, ...SERVE],
      { ...servers.env, METRICS_TOKEN, ANSWER_CACHE_BYTES: String(bytes), PORT: String(port) },
      port,
    );
  const cached = await start(CACHE_BYTES, PORTS.cached);
  await start(0, PORTS.uncached);
  const { tokens, pages } = await seed();
  const random = randomNumbers(7);
  const popular = zipf(PAGES, random);
  const read = (users: number): Shot => ({
    method: "GET",
    path: `/api/pages/${pages[popular()]}`,
    headers: { authorization: tokens[Math.floor(random() * users)] ?? "" },
  });
  const write = (): Shot => ({
    method: "PUT",
    path: `/api/pages/${pages[popular()]}`,
    headers: { authorization: admin },
    body: JSON.stringify({ name: `Page ${random()}` }),
  });
  const kinds: Readonly<Record<string, () => Shot>> = {
    [`${USERS} users read`]: () => read(USERS),
    [`${USERS} users, 2 % writes`]: () => (random() < SHARE_OF_WRITES ? write() : read(USERS)),
    "one user reads": () => read(1),
  };
  for (const [requests, shot] of Object.entries(kinds)) {
    const [withCache, without]: [Outcome[], Outcome[]] = [[], []];
    let before = await cacheCounts();
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const outcome = await load(PORTS.cached, CONNECTIONS, seconds, shot);
      if (round === 0) before = await cacheCounts();
      else withCache.push(outcome);
      const other = await load(PORTS.uncached, CONNECTIONS, seconds, shot);
      if (round > 0) without.push(other);
    }
    const after = await cacheCounts();
    const [hits, misses] = [after.hits - before.hits, after.misses - before.misses];
    const [fast, slow] = [medianRound(withCache), medianRound(without)];
    record("A team reads 300 pages of 47 KB, 16 connections, a cache of 64 MB", {
      requests,
      "per second": Math.round(fast.perSecond),
      "p50 ms": fast.p50.toFixed(2),
      "p99 ms": fast.p99.toFixed(2),
      "without a cache": Math.round(slow.perSecond),
      ratio: (fast.perSecond / slow.perSecond).toFixed(2),
      "from the cache": `${Math.round((100 * hits) / (hits + misses))} %`,
      "RSS MB": megabytes(cached.pid),
      refused: fast.refused,
    });
  }
} finally {
  await servers.stop();
}
