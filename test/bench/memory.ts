/**
 * `bun test/bench/memory.ts [minutes]`: memory of the server's process and of its helpers (proportional set size, which counts a
 * shared page once) at rest, after a minute and after so many minutes of a mixed load at 16 connections, and after a minute of
 * rest. PostgreSQL is a throw-away server and not counted.
 */
import { readFileSync } from "node:fs";
import { startCluster } from "../support/harness/cluster.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { load, type Shot } from "./load.ts";
import { record } from "./record.ts";

const CONNECTIONS = 16;
const PAGES = 500;
const MINUTE_MS = 60_000;
const SHARE_OF_WRITES = 0.1;
const HTML = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(20)}`;
const minutes = Number(process.argv[2] ?? 30);

const cluster = await startCluster();
if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
const folder = dataFolder();
const program = await startProgram(folder.path, {
  DATABASE_URL: cluster.url,
  LOG_LEVEL: "error",
  API_REQUESTS_PER_MIN: "100000000",
});
const { authorization, port } = program;

/** Children that this process started, and theirs. */
function family(pid: number): number[] {
  const tasks = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const children = tasks === "" ? [] : tasks.split(" ").map(Number);
  return [pid, ...children.flatMap(family)];
}

function megabytes(pids: readonly number[]): number {
  const sizes = pids.map((pid) =>
    Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]),
  );
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024);
}

function shot(n: number): Shot {
  const headers = { authorization };
  const id = (n % PAGES) + 1;
  if (Math.random() < SHARE_OF_WRITES)
    return { method: "PUT", path: `/api/pages/${id}`, headers, body: JSON.stringify({ html: `${HTML}<p>${n}</p>` }) };
  const reads = [
    `/api/pages/${id}`,
    "/api/books",
    `/api/search?query=node%20${n % 50}`,
    `/api/pages/${id}/export/markdown`,
  ];
  return { method: "GET", path: reads[n % reads.length] as string, headers };
}

function measure(when: string, perSecond: number | string, refused: number | string): void {
  const all = family(process.pid).filter((pid) => pid !== process.pid && isOurs(pid));
  const server = all.filter((pid) => /\bserve\b/.test(commandOf(pid)));
  record("Memory", {
    when,
    "server MB": megabytes(server),
    "with its helpers MB": megabytes(all),
    "requests/s": perSecond,
    refused,
  });
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
const isOurs = (pid: number): boolean => /\bbun\b|\.ts\b/.test(commandOf(pid)) && !/postgres/.test(commandOf(pid));

async function loadFor(ms: number): Promise<{ perSecond: number; refused: number }> {
  const { perSecond, refused } = await load(port, CONNECTIONS, ms / 1000, shot);
  return { perSecond: Math.round(perSecond), refused };
}

try {
  const book = (await program.ask("POST", "/api/books", { name: "Memory" })).body.id;
  for (let n = 0; n < PAGES; n++)
    await program.ask("POST", "/api/pages", { book_id: book, name: `Page ${n}`, html: HTML });
  await Bun.sleep(MINUTE_MS / 4);
  measure("at rest", "", "");
  const first = await loadFor(MINUTE_MS);
  measure("after a minute of load", first.perSecond, first.refused);
  // The load generator keeps the time of each request, so it runs minute by minute.
  let last = first;
  for (let minute = 1; minute < minutes; minute++) last = await loadFor(MINUTE_MS);
  measure(`after ${minutes} minutes of load`, last.perSecond, last.refused);
  await Bun.sleep(MINUTE_MS);
  measure("after a minute of rest", "", "");
} finally {
  program.signal("SIGTERM");
  await program.ended;
  await cluster.stop();
  folder.remove();
}
