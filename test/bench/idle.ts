/**
 * `bun test/bench/idle.ts [seconds]`: what a server costs that nobody asks for anything: statements a minute, with the texts of
 * those that are sent most, and CPU of Bun. All that ships runs over a throw-away PostgreSQL, which counts the statements itself
 * (pg_stat_statements), those of the listening connection included.
 */
import postgres from "postgres";
import { MINUTE_MS, SECOND_MS } from "../../core/std/time.ts";
import { freePort } from "../support/harness/ports.ts";
import { openBenchServers, SERVE } from "./bench_servers.ts";
import { cpuMs } from "./cpu.ts";
import { record } from "./record.ts";

const SECONDS = Number(process.argv[2] ?? 180);
/** What a start leaves to do is done after this time. */
const SETTLED_MS = 20_000;
/** Texts of statements that are shown, and their length. */
const SHOWN = 12;
const TEXT_CHARS = 110;

const servers = await openBenchServers();
try {
  const { cluster } = servers;
  if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
  const admin = postgres(cluster.url, { max: 1 });
  await admin.unsafe("alter system set shared_preload_libraries = 'pg_stat_statements'");
  await admin.unsafe("checkpoint");
  await admin.end();
  await cluster.kill();
  await cluster.restart();
  const sql = postgres(servers.url, { max: 1, onnotice: () => {} });
  await sql.unsafe("create extension pg_stat_statements");
  const port = await freePort();
  const server = await servers.start([process.execPath, ...SERVE], { ...servers.env, PORT: String(port) }, port);
  await Bun.sleep(SETTLED_MS);
  await sql.unsafe("select pg_stat_statements_reset()");
  const before = cpuMs(server.pid);
  await Bun.sleep(SECONDS * SECOND_MS);
  const spent = cpuMs(server.pid) - before;
  const counted = await sql.unsafe<{ query: string; calls: number }[]>(
    `select query, sum(calls)::integer as calls from pg_stat_statements
     where query not like '%pg_stat_statements%' group by query order by calls desc, query`,
  );
  const perMinute = (calls: number) => Number(((calls * MINUTE_MS) / (SECONDS * SECOND_MS)).toFixed(1));
  record("An idle server", {
    "statements a minute": perMinute(counted.reduce((sum, { calls }) => sum + calls, 0)),
    "CPU of Bun, % of a core": Number(((100 * spent) / (SECONDS * SECOND_MS)).toFixed(2)),
  });
  for (const { query, calls } of counted.slice(0, SHOWN))
    process.stdout.write(`${perMinute(calls)} ${query.replace(/\s+/g, " ").slice(0, TEXT_CHARS)}\n`);
  await sql.end();
} finally {
  await servers.stop();
}
