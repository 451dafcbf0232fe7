/**
 * `bun test/bench/webhooks.ts [rounds]`: how long the creation of a page takes while 0, 10 and 100 webhooks listen to it,
 * in one run over one server and the embedded store, in short rounds and changing order, since a machine is seldom as
 * fast one second as the next; medians in milliseconds. Pages are written in bursts of four, and calls are made between
 * the bursts, as they are in life: what is shown is what webhooks cost the request. After that, page upon page without a
 * pause, so that the calls, their receiver and the pages share one machine: what webhooks cost that. How long the calls
 * go on is shown too. Which webhooks listen is changed beside the server, as another one on the same store would.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "lectern/core";
import { openStore, rows, type Store } from "lectern/db";

const PORT = 18_086;
const BASE = `http://127.0.0.1:${PORT}`;
const TOKEN = "benchid:benchsecret";
const headers = { authorization: `Token ${TOKEN}`, "content-type": "application/json" };
const COUNTS = [0, 10, 100];
const WARMING = 200;
const BURST = 4;
const ROUNDS = Number(process.argv[2] ?? 120);
const WITHOUT_PAUSE = 60;
const SETTLED_MS = 50;

let calls = 0;
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    calls += 1;
    return new Response();
  },
});
const dataDir = mkdtempSync(join(tmpdir(), "lectern-bench-"));
chmodSync(dataDir, 0o755);
const server = Bun.spawn([process.execPath, "core/cli.ts", "serve", "plugins/mod.ts"], {
  env: {
    ...process.env,
    DATABASE_URL: "",
    DATA_DIR: dataDir,
    PORT: String(PORT),
    LOG_LEVEL: "error",
    ADMIN_TOKEN: TOKEN,
    ALLOW_PRIVATE_HOSTS: "127.0.0.1/32",
    API_REQUESTS_PER_MIN: "1000000",
  },
  stdout: "ignore",
  stderr: "inherit",
});

let store: Store;
try {
  for (let turn = 0; turn < 200; turn++) {
    const up = await fetch(`${BASE}/api`).catch(() => undefined);
    if (up) break;
    await Bun.sleep(50);
  }
  const { id: book } = await ask("POST", "/api/books", { name: "Bench" });
  store = await openStore({ dataDir });
  const endpoint = `http://127.0.0.1:${receiver.port}/`;
  for (let at = 0; at < 100; at++)
    await ask("POST", "/api/webhooks", { name: `Hook ${at}`, endpoint, events: ["page_create"], active: false });
  for (let page = 0; page < WARMING; page += BURST) await burst(book);
  const times = new Map<number, number[]>(COUNTS.map((count) => [count, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const count of inTurn(round)) {
      await listen(count);
      calls = 0;
      times.get(count)?.push(...(await burst(book)));
      for (let turn = 0; turn < 2000 && calls < count * BURST; turn++) await Bun.sleep(10);
    }
  tell("in bursts", times);
  const busy = new Map<number, number[]>(COUNTS.map((count) => [count, []]));
  const calling = new Map<number, number>();
  for (let round = 0; round < 6; round++)
    for (const count of inTurn(round)) {
      await listen(count);
      calls = 0;
      const started = performance.now();
      for (let at = 0; at < WITHOUT_PAUSE; at += BURST) busy.get(count)?.push(...(await burst(book)));
      for (let turn = 0; turn < 12_000 && calls < count * WITHOUT_PAUSE; turn++) await Bun.sleep(10);
      calling.set(count, Math.round((calls * 1000) / (performance.now() - started)));
    }
  tell("without a pause", busy, calling);
  await store.close();
} finally {
  server.kill("SIGTERM");
  await server.exited;
  await receiver.stop(true);
  rmSync(dataDir, { recursive: true, force: true });
}

function tell(how: string, times: ReadonlyMap<number, number[]>, calling = new Map<number, number>()): void {
  const base = median(times.get(0) ?? []);
  for (const count of COUNTS) {
    const own = median(times.get(count) ?? []);
    const rate = calling.get(count) ? `; ${calling.get(count)} calls per second` : "";
    process.stdout.write(
      `${how}, ${String(count).padStart(3)} webhooks: ${own.toFixed(2)} ms, ${(own / base).toFixed(2)} of none${rate}\n`,
    );
  }
}

/** Each count comes first as often as last, and after either of the others, since what came before is still felt. */
function inTurn(round: number): number[] {
  const order = COUNTS.map((_, at) => COUNTS[(at + round) % COUNTS.length] ?? 0);
  return round % 2 === 0 ? order : order.reverse();
}

/** Lets so many webhooks listen, and waits until the server has heard of it. */
async function listen(count: number): Promise<void> {
  await rows(
    store.db,
    sql`update webhooks set active = id <= ${count}::integer where active <> (id <= ${count}::integer)`,
  );
  await store.notify("lectern_cache", JSON.stringify({ name: "webhooks:listening" }));
  await Bun.sleep(SETTLED_MS);
}

async function burst(book: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < BURST; at++) {
    const started = performance.now();
    await ask("POST", "/api/pages", { book_id: book, name: `Page ${at}`, html: "<p>Some words of a page.</p>" });
    times.push(performance.now() - started);
  }
  return times;
}

async function ask(method: string, path: string, body: unknown): Promise<{ id: number }> {
  const response = await fetch(BASE + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<{ id: number }>;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
