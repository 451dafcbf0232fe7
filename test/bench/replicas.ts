/**
 * `bun test/bench/replicas.ts [seconds]`: reads per second of a server that reads from one streaming replica, beside one that does
 * not, over the same primary in the same run: of one user who only reads, and while another one writes; and page creates,
 * which note their writer. Beside that the processor time of the primary for a thousand answers: on one machine the replica
 * takes from the same processors, so this is what a replica of its own machine relieves. Three rounds in turns, medians.
 */
import { readdirSync, readFileSync } from "node:fs";
import { canReplicate, startReplica } from "../support/harness/replica.ts";
import { openBenchServers, TOKEN } from "./bench_servers.ts";
import { load, type Shot } from "./load.ts";
import { median, record } from "./record.ts";

const ALONE_PORT = 18_080;
const REPLICA_PORT = 18_081;
const CONNECTIONS = 16;
const ROUNDS = 3;
const BOOKS = 200;
/** Milliseconds between two writes beside the reads. */
const WRITE_EVERY_MS = 50;
/** Processor time in /proc, in milliseconds. */
const TICK_MS = 10;
const HTML = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, and say which node is down.</p>".repeat(20)}`;
const seconds = Number(process.argv[2] ?? 3);

const servers = await openBenchServers();
const { cluster } = servers;
if (!cluster || !canReplicate())
  throw new Error("Cannot measure: install Debian's postgresql, which has pg_basebackup");
const replica = await startReplica(servers.url);
const readUrls = { DATABASE_READ_URLS: replica.urlOf(servers.url) };
const JSON_BODY = { "content-type": "application/json" };
const headersOf = (token: string) => ({ authorization: `Token ${token}` });

try {
  await start(ALONE_PORT, {});
  await start(REPLICA_PORT, { ...readUrls, METRICS_ADDRESSES: "127.0.0.1" });
  await post("/api/books", { name: "First" });
  for (let n = 0; n < BOOKS; n++) {
    const { id } = await post("/api/books", { name: `Book ${n}` });
    await post("/api/pages", { book_id: id, name: `Page ${n}`, html: HTML });
  }
  const email = "writer@example.com";
  await command([
    "user",
    "create",
    "--email",
    email,
    "--name",
    "Writer",
    "--admin",
    "--password",
    "a long bench password",
  ]);
  const writer = await command(["token", "create", "--user", email, "--name", "bench"]);
  const page = (n: number): Shot => ({
    method: "GET",
    path: `/api/pages/${(n % BOOKS) + 1}`,
    headers: headersOf(TOKEN),
  });
  const books = (): Shot => ({ method: "GET", path: "/api/books", headers: headersOf(TOKEN) });
  const search = (n: number): Shot => ({
    ...{ method: "GET", path: `/api/search?query=failover+${n % BOOKS}`, headers: headersOf(TOKEN) },
  });
  const create = (n: number): Shot => ({
    ...{ method: "POST", path: "/api/pages", headers: headersOf(TOKEN) },
    body: JSON.stringify({ book_id: (n % BOOKS) + 1, name: `Page ${crypto.randomUUID()}`, html: HTML }),
  });
  await compare("page read", page);
  await compare("100 books", books);
  await compare("search", search);
  const writing = setInterval(() => void change(writer), WRITE_EVERY_MS);
  await compare("page read, others write", page);
  clearInterval(writing);
  const own = setInterval(() => void change(TOKEN), WRITE_EVERY_MS);
  await compare("page read, the reader writes", page);
  clearInterval(own);
  await compare("page create", create);
} finally {
  await replica.stop();
  await servers.stop();
}

async function compare(name: string, shot: (n: number) => Shot): Promise<void> {
  const rounds: Record<"alone" | "replica", Round[]> = { alone: [], replica: [] };
  const before = await answered();
  for (let round = 0; round < ROUNDS; round++) {
    rounds.alone.push(await measure(ALONE_PORT, shot));
    rounds.replica.push(await measure(REPLICA_PORT, shot));
  }
  const after = await answered();
  const [toPrimary, toReplica] = [after.primary - before.primary, after.replica - before.replica];
  const of = (some: Round[], member: keyof Round) => median(some.map((one) => one[member]));
  const [alone, beside] = [of(rounds.alone, "perSecond"), of(rounds.replica, "perSecond")];
  const refused = [...rounds.alone, ...rounds.replica].reduce((sum, one) => sum + one.refused, 0);
  record("Reads from a replica", {
    what: name,
    "primary alone 1/s": Math.round(alone),
    "with a replica 1/s": Math.round(beside),
    ratio: (beside / alone).toFixed(2),
    "primary alone, its CPU ms per 1,000": Math.round(of(rounds.alone, "cpuMs")),
    "with a replica, the primary's CPU ms per 1,000": Math.round(of(rounds.replica, "cpuMs")),
    "reads by the replica %": Math.round((100 * toReplica) / Math.max(1, toPrimary + toReplica)),
    "refused answers": refused,
  });
}

interface Round {
  readonly perSecond: number;
  /** Processor time of the primary for a thousand answers. */
  readonly cpuMs: number;
  readonly refused: number;
}

async function measure(port: number, shot: (n: number) => Shot): Promise<Round> {
  const before = cpuMsOf(cluster?.pid() ?? 0);
  const { perSecond, refused } = await load(port, CONNECTIONS, seconds, shot);
  const used = cpuMsOf(cluster?.pid() ?? 0) - before;
  return { perSecond, refused, cpuMs: used / ((perSecond * seconds) / 1_000) };
}

/** Runs a command of Lectern. Returns the last line that it prints. */
async function command(args: string[]): Promise<string> {
  const env = { ...servers.env, ...readUrls };
  const child = Bun.spawn([process.execPath, "core/cli.ts", ...args], { env, stdout: "pipe", stderr: "inherit" });
  return (await new Response(child.stdout).text()).trim().split("\n").at(-1) ?? "";
}

/** Starts Lectern without its cache of answers, which is filled from the primary alone. */
async function start(port: number, more: Record<string, string>): Promise<void> {
  const env = { ...servers.env, ANSWER_CACHE_BYTES: "0", PORT: String(port), ...more };
  await servers.start([process.execPath, "core/cli.ts", "serve"], env, port);
}

/** The processor time of a server and its processes. */
function cpuMsOf(postmaster: number): number {
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      if (Number(name) === postmaster || Number(fields[1]) === postmaster)
        ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_MS;
}

/** Statements of reads that each server answered, as the metrics say. */
async function answered(): Promise<{ primary: number; replica: number }> {
  const text = await (await fetch(`http://127.0.0.1:${REPLICA_PORT}/metrics`)).text();
  const lines = [...text.matchAll(/^lectern_reads_total\{server="([^"]+)"\} (\d+)/gm)];
  const sum = (isPrimary: boolean) =>
    lines
      .filter(([, name]) => (name === "primary") === isPrimary)
      .reduce((total, [, , count]) => total + Number(count), 0);
  return { primary: sum(true), replica: sum(false) };
}

async function post(path: string, body: unknown): Promise<{ id: number }> {
  const init = { method: "POST", headers: { ...headersOf(TOKEN), ...JSON_BODY }, body: JSON.stringify(body) };
  return (await (await fetch(`http://127.0.0.1:${ALONE_PORT}${path}`, init)).json()) as { id: number };
}

/** Changes a book over the server with a replica. */
async function change(token: string): Promise<void> {
  const init = {
    method: "PUT",
    headers: { ...headersOf(token), ...JSON_BODY },
    body: JSON.stringify({ name: `Changed ${crypto.randomUUID()}` }),
  };
  await (await fetch(`http://127.0.0.1:${REPLICA_PORT}/api/books/1`, init)).text();
}
