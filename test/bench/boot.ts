/**
 * `bun test/bench/boot.ts [pages …]`: from the start of the process until /ready answers 200, and until the page listing is
 * answered: of the first start over an empty folder, of later ones, and of starts over so many pages on a throw-away server.
 * The first start over pages that were written beside the program builds what the plugins keep of them; it is shown apart.
 */
import { rmSync } from "node:fs";
import { type Cluster, createDatabase, startCluster } from "../support/harness/cluster.ts";
import { command } from "../support/harness/command.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { median, record } from "./record.ts";
import { fill } from "./stalls_server.ts";

const STARTS = 5;
const READY_MAX_MS = 600_000;
const TABLE = "Milliseconds from the start of the process";
const counts = process.argv.slice(2).map(Number);

/** Starts, waits and stops. */
async function timed(dataDir: string, env: Record<string, string>): Promise<{ ready: number; listed: number }> {
  const started = performance.now();
  const program = await startProgram(dataDir, { LOG_LEVEL: "error", ...env });
  await until(async () => (await program.ask("GET", "/ready")).status === 200);
  const ready = performance.now() - started;
  await until(async () => (await program.ask("GET", "/api/pages?count=1")).status === 200);
  const listed = performance.now() - started;
  program.signal("SIGTERM");
  await program.ended;
  return { ready, listed };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + READY_MAX_MS; !(await holds()); await Bun.sleep(10))
    if (performance.now() > end) throw new Error(`Cannot measure: not ready within ${READY_MAX_MS} ms`);
}

async function measure(store: string, dataDir: string, env: Record<string, string>): Promise<void> {
  const first = await timed(dataDir, env);
  const later: { ready: number; listed: number }[] = [];
  for (let n = 0; n < STARTS; n++) later.push(await timed(dataDir, env));
  record(TABLE, {
    store,
    "first: ready": Math.round(first.ready),
    "later: ready, median": Math.round(median(later.map(({ ready }) => ready))),
    "later: page listing answered, median": Math.round(median(later.map(({ listed }) => listed))),
  });
}

async function ofPages(cluster: Cluster, pages: number): Promise<void> {
  const url = await createDatabase(cluster.url);
  const folder = dataFolder();
  const env = { DATABASE_URL: url, DATA_DIR: folder.path, ADMIN_TOKEN: "adminid:adminsecret" };
  const { code, err } = await command(["migrate", "plugins/mod.ts"], env);
  if (code !== 0) throw new Error(`Cannot measure: migrate ended with ${code}: ${err}`);
  await fill(url, pages);
  await measure(`a server, ${pages} pages`, folder.path, { DATABASE_URL: url });
  rmSync(folder.path, { recursive: true, force: true });
}

const folder = dataFolder();
await measure("embedded, empty", folder.path, {});
folder.remove();
const cluster = await startCluster();
if (!cluster) throw new Error("Cannot measure: no PostgreSQL is installed here");
try {
  for (const pages of counts) await ofPages(cluster, pages);
} finally {
  await cluster.stop();
}
