/**
 * `bun test/bench/ha.ts [kills] [ttl]`: PostgreSQL, Patroni and their leader under two servers of Lectern, one with all hosts in its
 * DATABASE_URL, one over HAProxy, which leads to the leader. Eight writers create pages while PostgreSQL and Patroni of the leader
 * are ended by SIGKILL, ten times by default; after each, the member joins again. Every page whose creation was answered 200
 * has to be there at the end. An outage lasts from the last acknowledged write to the next one; Patroni waits `ttl` seconds (20 by
 * default, the least that it documents) before it takes the leader for dead, so most of it is that. A table, then a line of JSON.
 * Needs Debian's patroni, etcd-server, haproxy and postgresql.
 */
import postgres from "postgres";
import { type KillOutcome, WriteLoad } from "../support/harness/failover.ts";
import { missingForPatroni, startPatroni } from "../support/harness/patroni.ts";
import { dataFolder, type Program, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";

const KILLS = Number(process.argv[2] ?? 10);
const TTL = Number(process.argv[3] ?? 20);
const WRITERS = 4;
const CALM_MS = 2_000;
const print = (line: string) => void process.stdout.write(`${line}\n`);
if (missingForPatroni.length > 0) {
  print(`Cannot run: ${missingForPatroni.join(", ")} is missing`);
  process.exit(1);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const seconds = (ms: number) => (ms / 1000).toFixed(1);

const cluster = await startPatroni({ ttl: TTL, loopWait: 2 });
const folder = dataFolder();
const servers: Program[] = [];
try {
  servers.push(await startProgram(folder.path, { DATABASE_URL: cluster.url, LOG_LEVEL: "error" }));
  servers.push(await startProgram(folder.path, { DATABASE_URL: cluster.proxyUrl, LOG_LEVEL: "error" }));
  const [first] = servers as [Program];
  const book = (await first.ask("POST", "/api/books", { name: "Runbooks" })).body.id as number;
  const load = new WriteLoad(servers, book);
  load.start(WRITERS);
  const kills: KillOutcome[] = [];
  print("kill  leader  several hosts  HAProxy  ready again (seconds)");
  for (let kill = 1; kill <= KILLS; kill++) {
    await Bun.sleep(CALM_MS);
    const outcome = await load.kill(cluster);
    kills.push(outcome);
    const [hosts = 0, proxy = 0] = outcome.outageMs;
    const cells = [seconds(hosts).padStart(13), seconds(proxy).padStart(7), seconds(outcome.readyMs).padStart(11)];
    print(`${String(kill).padStart(4)}  ${outcome.killed.padEnd(6)}  ${cells.join("  ")}`);
    await cluster.revive(outcome.killed);
  }
  await load.stop();
  const stored = await storedNames();
  const lost = load.names.filter((name) => !stored.has(name));
  const [hosts, proxy] = [0, 1].map((at) => kills.map(({ outageMs }) => outageMs[at] ?? 0)) as [number[], number[]];
  const ready = kills.map(({ readyMs }) => readyMs);
  const row = (name: string, of: (values: readonly number[]) => number) =>
    print(`${name.padEnd(12)}  ${[hosts, proxy, ready].map((all) => seconds(of(all))).join("  ")}`);
  row("median", median);
  row("longest", (values) => Math.max(...values));
  print(`acknowledged writes lost: ${lost.length} of ${load.counts.acknowledged}`);
  if (load.defects.length > 0) print(`answers that are no 503: ${load.defects.slice(0, 5).join("; ")}`);
  const figures = (all: readonly number[]) => ({
    median: Math.round(median(all)),
    longest: Math.round(Math.max(...all)),
  });
  const outage = { hosts: figures(hosts), proxy: figures(proxy), ready: figures(ready) };
  print(JSON.stringify({ bench: "ha", kills: KILLS, ttl: TTL, ...load.counts, lost: lost.length, outageMs: outage }));
  process.exitCode = lost.length + load.counts.other === 0 ? 0 : 1;
} finally {
  for (const server of servers) server.signal("SIGTERM");
  await Promise.all(servers.map(({ ended }) => ended));
  await cluster.stop();
  folder.remove();
}

/** The names of all pages, from the leader. */
async function storedNames(): Promise<Set<string>> {
  await until(() => cluster.leader());
  const sql = postgres(cluster.proxyUrl, { max: 1 });
  const rows = await sql<{ name: string }[]>`select name from pages`;
  await sql.end();
  return new Set(rows.map(({ name }) => name));
}
