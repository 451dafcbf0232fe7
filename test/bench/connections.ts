/**
 * `bun test/bench/connections.ts [seconds]`: what the store's own pools do that one pool of postgres.js does not. Sixteen readers
 * read a row by its key, one after the other; beside them a writer runs short transactions, then six statements of 300 ms
 * run at a time. Shown are reads per second, the longest read, and how long a transaction takes. Both subjects have
 * six connections for reads and transactions, take turns over one throw-away cluster, and what is shown is the median of the rounds.
 * The store has four more for slow statements, as in production; postgres.js is measured with six and with ten.
 */
import { tmpdir } from "node:os";
import { sql } from "lectern/core";
import { openStore, rows, withSlowPool } from "lectern/db";
import postgres from "postgres";
import { startCluster } from "../support/harness/cluster.ts";

const READERS = 16;
const SLOW = 6;
const ROUNDS = 3;
const ROWS = 10_000;
const seconds = Number(process.argv[2] ?? 3);

interface Subject {
  readonly name: string;
  read(id: number): Promise<unknown>;
  write(id: number): Promise<unknown>;
  slow(): Promise<unknown>;
  end(): Promise<void>;
}

interface Measured {
  readonly reads: number;
  readonly longestRead: number;
  readonly others: number;
  readonly otherP50: number;
  readonly otherLongest: number;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

async function storeSubject(databaseUrl: string): Promise<Subject> {
  const store = await openStore({ databaseUrl, dataDir: tmpdir() });
  return {
    name: "the store, 6 + 4 connections",
    read: (id) => rows(store.db, sql`select name from bench where id = ${id}`),
    write: (id) =>
      store.db.transaction().execute(async (tx) => {
        await rows(tx, sql`select name from bench where id = ${id} for update`);
        await rows(tx, sql`update bench set n = n + 1 where id = ${id}`);
      }),
    slow: () =>
      withSlowPool({ key: crypto.randomUUID(), limitMs: 10_000 }, () => rows(store.db, sql`select pg_sleep(0.3)`)),
    end: () => store.close(),
  };
}

function driverSubject(databaseUrl: string, max: number): Subject {
  const pool = postgres(databaseUrl, { max, onnotice: () => {} });
  return {
    name: `postgres.js, ${max} connections`,
    read: async (id) => pool`select name from bench where id = ${id}`,
    write: (id) =>
      pool.begin(async (tx) => {
        await tx`select name from bench where id = ${id} for update`;
        await tx`update bench set n = n + 1 where id = ${id}`;
      }),
    slow: async () => pool`select pg_sleep(0.3)`,
    end: () => pool.end(),
  };
}

/** Readers beside `others` callers of another kind. */
async function measure(subject: Subject, others: number, other: (n: number) => Promise<unknown>): Promise<Measured> {
  const until = performance.now() + seconds * 1000;
  const reads: number[] = [];
  const rest: number[] = [];
  const loop = async (times: number[], run: (n: number) => Promise<unknown>) => {
    for (let n = 1; performance.now() < until; n++) {
      const began = performance.now();
      await run(1 + (n % ROWS));
      times.push(performance.now() - began);
    }
  };
  await Promise.all([
    ...Array.from({ length: READERS }, () => loop(reads, subject.read)),
    ...Array.from({ length: others }, () => loop(rest, other)),
  ]);
  return {
    reads: reads.length / seconds,
    longestRead: Math.max(...reads),
    others: rest.length / seconds,
    otherP50: median(rest),
    otherLongest: Math.max(...rest),
  };
}

const cluster = await startCluster();
const url = cluster?.url ?? process.env.DATABASE_URL;
if (url === undefined) throw new Error("Cannot measure: set DATABASE_URL or install PostgreSQL");
const admin = postgres(url, { max: 1, onnotice: () => {} });
await admin`create table bench (id integer primary key, name text not null, n integer not null default 0)`;
await admin`insert into bench select n, 'Name ' || n from generate_series(1, ${ROWS}::integer) n`;
const subjects = [await storeSubject(url), driverSubject(url, 6), driverSubject(url, 10)];
const found = new Map<string, Measured[]>();
for (let round = 0; round < ROUNDS; round++) {
  for (const subject of subjects) {
    for (const [what, count, run] of [
      ["transactions", 1, subject.write],
      ["slow statements", SLOW, subject.slow],
    ] as const) {
      const key = `${subject.name}, beside ${what}`;
      found.set(key, [...(found.get(key) ?? []), await measure(subject, count, run)]);
    }
  }
}
for (const [key, rounds] of found) {
  const of = (field: keyof Measured) => median(rounds.map((round) => round[field])).toFixed(1);
  process.stdout.write(
    `${key.padEnd(52)} ${of("reads")} reads/s, longest ${of("longestRead")} ms; ` +
      `${of("others")} of the others/s, p50 ${of("otherP50")} ms, longest ${of("otherLongest")} ms\n`,
  );
}
await Promise.all(subjects.map((subject) => subject.end()));
await admin`drop table bench`;
await admin.end();
await cluster?.stop();
