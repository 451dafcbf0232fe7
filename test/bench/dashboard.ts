/**
 * `bun test/bench/dashboard.ts [hosts] [seconds]`: what dashboards and hosts cost, each beside what it is measured against
 * and in the same run, taking turns; shown are medians of the rounds and ratios of the medians. Sections:
 *
 * 1. a poll of an instance with many hosts while 64 writers report, beside a poll of an empty instance: writers at the
 *    pace of one report a second each, then as fast as they can, which is the whole machine and no real instance;
 * 2. an empty answer (304) beside a bare Elysia route with a constant body, beside one with the same headers, and beside one
 *    that makes the same single statement;
 * 3. the time one report of 500 packages with 10 changed takes in the database.
 *
 * PostgreSQL is a throw-away cluster without fsync, or that of DATABASE_URL. Poller, writers, both servers and the
 * database share the machine.
 */
import { availableParallelism } from "node:os";
import postgres from "postgres";
import { type BenchStore, openBenchServers, SERVE, TOKEN } from "./bench_servers.ts";
import { API_KEY, packageName, seedHosts } from "./dashboard_seed.ts";
import { load, type Shot } from "./load.ts";
import { median, record } from "./record.ts";

const PORTS = { empty: 8347, full: 8348, bare: 8349 };
const ROUNDS = 5;
const WRITERS = 64;
const REPORTS = 320;
const hosts = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 3);

const servers = await openBenchServers();
const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const stores = { empty: servers, full: await servers.another() };
  const urls = { empty: stores.empty.url, full: stores.full.url };
  for (const name of ["empty", "full"] as const) await startServer(name, stores[name]);
  const began = performance.now();
  await seedHosts(urls.full, hosts);
  say(
    `${hosts} hosts, 24 reports each; seeded in ${Math.round((performance.now() - began) / 1000)} s; ${availableParallelism()} cores`,
  );
  const keys = { empty: await keyOf(PORTS.empty), full: await keyOf(PORTS.full) };
  await comparePolls(keys, urls);
  await compareEmptyAnswers(keys.full, urls.full);
  await timeReports(urls.full);
} finally {
  await servers.stop();
}

type Keys = Readonly<Record<"empty" | "full", string>>;

function pollOf(authorization: string, etag?: string): Shot {
  const headers = { authorization, ...(etag === undefined ? {} : { "if-none-match": etag }) };
  return { method: "GET", path: "/api/v1/dashboard/stats", headers };
}

async function comparePolls(keys: Keys, urls: Keys): Promise<void> {
  const statement = { empty: await statementMs(urls.empty), full: await statementMs(urls.full) };
  say(
    `statement of a poll, in the database: empty ${statement.empty.toFixed(3)} ms, full ${statement.full.toFixed(3)} ms`,
  );
  const paces = [
    { name: "no writers", write: () => async () => 0 },
    { name: `${WRITERS} writers, one report a second each`, write: () => writers(1_000) },
    { name: `${WRITERS} writers without a pause`, write: () => writers(0) },
  ];
  for (const { name, write } of paces) {
    const empty: number[] = [];
    const full: number[] = [];
    let reports = 0;
    for (let round = 0; round < ROUNDS; round++) {
      empty.push((await load(PORTS.empty, 1, seconds, () => pollOf(keys.empty))).p50);
      const stop = write();
      full.push((await load(PORTS.full, 1, seconds, () => pollOf(keys.full))).p50);
      reports += await stop();
    }
    const rate = Math.round(reports / ROUNDS / seconds);
    record("A poll, p50 in milliseconds", {
      writers: name,
      "reports/s": rate,
      "no hosts": median(empty).toFixed(3),
      [`${hosts} hosts`]: median(full).toFixed(3),
      ratio: (median(full) / median(empty)).toFixed(2),
    });
  }
}

/** Starts reporting; what it returns stops and says how many reports were taken. */
function writers(pauseMs: number): () => Promise<number> {
  let isWriting = true;
  let taken = 0;
  const runs = Array.from({ length: WRITERS }, async (_, writer) => {
    await Bun.sleep((writer * pauseMs) / WRITERS);
    for (let n = 0; isWriting; n++) {
      const host = 1 + Math.floor(Math.random() * hosts);
      const answer = await reportOf(host, 50, n);
      if (answer.ok) taken += 1;
      await answer.text();
      await Bun.sleep(pauseMs);
    }
  });
  return async () => {
    isWriting = false;
    await Promise.all(runs);
    return taken;
  };
}

/** A report of so many packages, of which ten are other ones than in the report before. */
function reportOf(host: number, packages: number, turn: number): Promise<Response> {
  const list = Array.from({ length: packages }, (_, n) => {
    const needsUpdate = n >= (turn % 2) * 5 && n < 10 + (turn % 2) * 5;
    return {
      name: packageName((host + n) % 1000),
      currentVersion: "1.0",
      availableVersion: needsUpdate ? `1.${turn}` : "1.0",
      needsUpdate,
      isSecurityUpdate: n % 4 === 0,
    };
  });
  return fetch(`http://127.0.0.1:${PORTS.full}/api/v1/hosts/update`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-id": `bench_${host}`, "x-api-key": API_KEY },
    body: JSON.stringify({ packages: list }),
  });
}

/** Reports that leave the window would change the tag, so those that could are taken away first. */
async function compareEmptyAnswers(authorization: string, url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`delete from host_reports where received_at < now() - interval '22 hours'`;
  await sql.end();
  const env = { ...process.env, PORT: String(PORTS.bare), DATABASE_URL: url };
  await servers.start([process.execPath, "test/bench/dashboard_static.ts"], env, PORTS.bare);
  const answer = await fetch(`http://127.0.0.1:${PORTS.full}/api/v1/dashboard/stats`, { headers: { authorization } });
  const shots = {
    plain: { method: "GET", path: "/plain" },
    withHeaders: { method: "GET", path: "/with-headers" },
    statement: { method: "GET", path: "/statement" },
    runtime: pollOf(authorization, answer.headers.get("etag") ?? ""),
  };
  for (const connections of [1, 16, 64]) {
    const rates = {
      plain: [] as number[],
      withHeaders: [] as number[],
      statement: [] as number[],
      runtime: [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ["plain", "withHeaders", "statement", "runtime"] as const) {
        const { perSecond, refused } = await load(
          name === "runtime" ? PORTS.full : PORTS.bare,
          connections,
          seconds,
          () => shots[name],
        );
        rates[name].push(perSecond);
        // A 304 counts as refused with the generator; anything else among them is another answer.
        if (name === "runtime" && refused < perSecond * seconds * 0.9) say("the tag changed during the run");
      }
    }
    const [plain, decorated] = [median(rates.plain), median(rates.withHeaders)];
    const [statement, runtime] = [median(rates.statement), median(rates.runtime)];
    record("Answers 304 a second", {
      connections,
      Lectern: Math.round(runtime),
      bare: Math.round(plain),
      "with the same headers": Math.round(decorated),
      "with the same statement": Math.round(statement),
      "ratio to the last": (runtime / statement).toFixed(2),
    });
  }
}

/** By the server's own account of how long it worked on this database's statements, and from outside, which is more. */
async function timeReports(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const active = async () => {
    // Sessions that are idle tell of their work at the latest ten seconds after it.
    await Bun.sleep(11_000);
    const [row] = await sql`select active_time from pg_stat_database where datname = current_database()`;
    return Number(row?.active_time);
  };
  for (let turn = 0; turn < 20; turn++) await (await reportOf(1, 500, turn)).text();
  const before = await active();
  const whole: number[] = [];
  for (let turn = 0; turn < REPORTS; turn++) {
    const started = performance.now();
    const answer = await reportOf(1 + (turn >> 4), 500, turn);
    await answer.text();
    if (!answer.ok) throw new Error(`Cannot measure: a report was answered ${answer.status}`);
    whole.push(performance.now() - started);
  }
  const each = ((await active()) - before) / REPORTS;
  record("A report of 500 packages, 10 changed", {
    reports: REPORTS,
    "database time, mean ms": each.toFixed(2),
    "whole request, p50 ms": median(whole).toFixed(2),
  });
  await sql.end();
}

async function statementMs(url: string): Promise<number> {
  const { pollSql } = await import("../../plugins/monitoring/hosts/numbers.ts");
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const times: number[] = [];
  for (let n = 0; n < 50; n++) {
    const [row] = await sql.unsafe(`explain (analyze, timing off, summary on, format json) ${pollSql()}`);
    const plans = (row?.["QUERY PLAN"] ?? []) as { "Execution Time": number }[];
    times.push(plans[0]?.["Execution Time"] ?? Number.NaN);
  }
  await sql.end();
  return median(times);
}

async function startServer(name: "empty" | "full", store: BenchStore): Promise<void> {
  const unlimited = { DASHBOARD_RATE_LIMIT_MAX: "0", HOSTS_REQUESTS_PER_MIN: "0" };
  const env = { ...store.env, ...unlimited, PORT: String(PORTS[name]) };
  await servers.start([process.execPath, ...SERVE], env, PORTS[name]);
}

async function keyOf(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/dashboard/keys`, {
    method: "POST",
    headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ token_name: "Bench" }),
  });
  return `Basic ${((await answer.json()) as { basic: string }).basic}`;
}
