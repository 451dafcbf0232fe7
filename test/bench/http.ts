/**
 * `bun test/bench/http.ts [seconds]`: requests per second and latency of a page read, a listing of 100 books and a page
 * create, at 1 and 32 connections, of the runtime and of bare Elysia routes (`bare.ts`) over the same database in the same
 * run. The two take turns, three rounds each; what is shown is the median round and the ratio of the medians.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, startCluster } from "../support/harness/cluster.ts";
import { load, type Outcome, type Shot } from "./load.ts";

const TOKEN = "benchid:benchsecret";
const IDLE_MS = 5_000;
const LECTERN_PORT = 18_080;
const BARE_PORT = 18_081;
const ROUNDS = 3;
const BOOKS = 1_000;
const HTML = `<h2>Failover</h2>${"<p>Call the <strong>DBA</strong> on duty, at any hour, and say which node is down.</p>".repeat(20)}`;
const headers = { authorization: `Token ${TOKEN}` };
const seconds = Number(process.argv[2] ?? 3);

const cluster = await startCluster();
if (!cluster && !process.env.DATABASE_URL) throw new Error("Cannot measure: set DATABASE_URL or install PostgreSQL");
const url = await createDatabase(cluster?.url ?? (process.env.DATABASE_URL as string));
const dataDir = mkdtempSync(join(tmpdir(), "lectern-bench-"));
chmodSync(dataDir, 0o755);
const children: Bun.Subprocess[] = [];

try {
  const env = {
    ...process.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    LOG_LEVEL: "warn",
    ADMIN_TOKEN: TOKEN,
    ADMIN_PASSWORD: "bench password",
    API_REQUESTS_PER_MIN: "100000000",
  };
  const runtime = await start(
    ["core/cli.ts", "serve", "plugins/mod.ts"],
    { ...env, PORT: String(LECTERN_PORT) },
    LECTERN_PORT,
  );
  // The boot has come to its end, migrations and all.
  await Bun.sleep(IDLE_MS);
  process.stdout.write(`idle memory of Lectern: ${memoryOf(runtime)} MB\n`);
  await seed();
  await start(["test/bench/bare.ts"], { ...env, PORT: String(BARE_PORT) }, BARE_PORT);
  for (const [name, shot] of Object.entries(cases())) {
    for (const connections of [1, 32]) await compare(name, connections, shot);
  }
  process.stdout.write(`memory of Lectern after the run: ${memoryOf(runtime)} MB\n`);
} finally {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => child.exited));
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function cases(): Record<string, (n: number) => Shot> {
  return {
    "page read": (n) => ({ method: "GET", path: `/api/pages/${(n % 200) + 1}`, headers }),
    "100 books": () => ({ method: "GET", path: "/api/books", headers }),
    "page create": (n) => ({
      method: "POST",
      path: "/api/pages",
      headers,
      body: JSON.stringify({ book_id: (n % BOOKS) + 1, name: `Page ${crypto.randomUUID()}`, html: HTML }),
    }),
  };
}

async function compare(name: string, connections: number, shot: (n: number) => Shot): Promise<void> {
  const ours: Outcome[] = [];
  const theirs: Outcome[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await load(BARE_PORT, connections, seconds, shot));
    ours.push(await load(LECTERN_PORT, connections, seconds, shot));
  }
  const [our, their] = [median(ours), median(theirs)];
  const refused = [...ours, ...theirs].reduce((sum, outcome) => sum + outcome.refused, 0);
  process.stdout.write(
    `${name}, ${connections} connections: Lectern ${show(our)}; bare ${show(their)}; ratio ${(our.perSecond / their.perSecond).toFixed(2)}${refused > 0 ? `; ${refused} REFUSED` : ""}\n`,
  );
}

function median(outcomes: Outcome[]): Outcome {
  return [...outcomes].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(outcomes.length / 2)] as Outcome;
}

function show({ perSecond, p50, p99 }: Outcome): string {
  return `${Math.round(perSecond)}/s p50 ${p50.toFixed(2)} ms p99 ${p99.toFixed(2)} ms`;
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
  for (let n = 0; n < 200; n++)
    await post("/api/pages", { book_id: n + 1, name: `Page ${n}`, html: HTML, tags: [{ name: "team", value: "ops" }] });
}

async function start(args: string[], env: Record<string, string | undefined>, port: number): Promise<Bun.Subprocess> {
  const child = Bun.spawn([process.execPath, ...args], { env, stdout: "ignore", stderr: "inherit" });
  children.push(child);
  for (let tries = 0; tries < 200; tries++) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      return child;
    await Bun.sleep(50);
  }
  throw new Error(`Cannot measure: nothing answers on port ${port}`);
}

function memoryOf(child: Bun.Subprocess): number {
  const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(child.pid)]);
  return Math.round(Number(stdout.toString()) / 1024);
}
