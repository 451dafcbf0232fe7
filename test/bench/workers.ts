/**
 * `bun test/bench/workers.ts [seconds] [workers]`: page reads over the API of a server with one process and of one with several
 * workers (2 by default), over the same database, at 16 and 64 connections. The two take turns, five rounds each; shown are the
 * median rounds, their ratio, and the CPU time of a request in the server, the database and this generator.
 *
 * Database and generator need CPU, too. With more cores than workers the server is confined to as many cores as it has workers
 * (taskset). On a machine without cores to spare all share them, so the ratio of the rates is bounded by
 * what the others take; the last figure is then the one to compare: workers × (CPU time of a request with one process / with
 * workers), which is the ratio on cores of their own.
 */
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { medianRound, openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { load, type Outcome, type Shot } from "./load.ts";
import { record } from "./record.ts";

const headers = { authorization: `Token ${TOKEN}` };
const PAGES = 200;
const ROUNDS = 5;
const SETTLED_MS = 3_000;
const CONNECTIONS = [16, 64];
const ONE_PORT = 18_090;
const MANY_PORT = 18_091;
/** Units of CPU times in /proc. */
const TICKS_PER_SECOND = 100;
const HTML = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(20)}`;
const seconds = Number(process.argv[2] ?? 3);
const workers = Number(process.argv[3] ?? 2);
const cores = availableParallelism();
const isConfined = cores > workers && Bun.which("taskset") !== null;

const servers = await openBenchServers();

/** A measured round: the rate, and microseconds of CPU of a request. */
interface Round extends Outcome {
  readonly server: number;
  readonly database: number;
  readonly generator: number;
}

try {
  const one = await start(ONE_PORT, 1);
  const many = await start(MANY_PORT, workers);
  await seed();
  process.stdout.write(
    `${cores} cores, load ${loadavg()[0]?.toFixed(1)}, ${isConfined ? `servers confined to 1 and ${workers}` : "all processes share them"}\n`,
  );
  for (const connections of CONNECTIONS) {
    const rounds: Record<"one" | "many", Round[]> = { one: [], many: [] };
    for (let round = 0; round < ROUNDS; round++) {
      rounds.one.push(await measure(one, ONE_PORT, connections));
      rounds.many.push(await measure(many, MANY_PORT, connections));
    }
    const [alone, together] = [medianRound(rounds.one), medianRound(rounds.many)];
    const onOwnCores = workers * (alone.server / together.server);
    record("Page reads with workers", {
      connections,
      "1 process": show(alone),
      [`${workers} workers`]: show(together),
      ratio: (together.perSecond / alone.perSecond).toFixed(2),
      "ratio by CPU of the server": onOwnCores.toFixed(2),
    });
  }
} finally {
  await servers.stop();
}

function show({ perSecond, p50, p99, server, database, generator }: Round): string {
  const times = [server, database, generator].map((us) => us.toFixed(0)).join(" + ");
  return `${Math.round(perSecond)}/s p50 ${p50.toFixed(2)} ms p99 ${p99.toFixed(2)} ms, CPU of server + database + generator ${times} µs`;
}

async function measure(child: Bun.Subprocess, port: number, connections: number): Promise<Round> {
  const shot = (n: number): Shot => ({ method: "GET", path: `/api/pages/${(n % PAGES) + 1}`, headers });
  const before = [cpuOf(treeOf(child.pid)), cpuOf(postgres()), process.cpuUsage()] as const;
  const outcome = await load(port, connections, seconds, shot);
  if (outcome.refused > 0) throw new Error(`Cannot measure: ${outcome.refused} requests were refused`);
  const own = process.cpuUsage(before[2]);
  const requests = outcome.perSecond * seconds;
  return {
    ...outcome,
    server: (cpuOf(treeOf(child.pid)) - before[0]) / requests,
    database: (cpuOf(postgres()) - before[1]) / requests,
    generator: (own.user + own.system) / requests,
  };
}

/** The fields of /proc/PID/stat after the name; none where the process has ended. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** CPU time of processes in microseconds. */
function cpuOf(pids: readonly number[]): number {
  const ticks = pids.reduce((sum, pid) => {
    const stat = statOf(pid);
    return sum + Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
  }, 0);
  return (ticks / TICKS_PER_SECOND) * 1_000_000;
}

function allPids(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** A process and its children. */
function treeOf(pid: number): number[] {
  return [pid, ...allPids().filter((other) => Number(statOf(other)[1]) === pid)];
}

/** Processes of PostgreSQL that serve this database, by their titles. */
function postgres(): number[] {
  const name = new URL(servers.url).pathname.slice(1);
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(` ${name} `);
    } catch {
      // It has ended.
      return false;
    }
  });
}

async function seed(): Promise<void> {
  const post = (path: string, body: unknown) =>
    fetch(`http://127.0.0.1:${ONE_PORT}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await post("/api/books", { name: "Book" });
  for (let n = 0; n < PAGES; n++) await post("/api/pages", { book_id: 1, name: `Page ${n}`, html: HTML });
}

async function start(port: number, count: number): Promise<Bun.Subprocess> {
  const confined = isConfined ? ["taskset", "-c", `0-${count - 1}`] : [];
  const command = [...confined, process.execPath, ...SERVE, "--workers", String(count)];
  const child = await servers.start(command, { ...servers.env, PORT: String(port) }, port);
  // The first worker answers while the others still start.
  while (treeOf(child.pid).length < (count > 1 ? count + 1 : 1)) await Bun.sleep(50);
  await Bun.sleep(SETTLED_MS);
  return child;
}
