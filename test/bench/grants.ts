/**
 * What a statement costs as the role of a plugin: a read by its key and a write, direct and enforced, outside and within a
 * transaction, by one caller and by sixteen. Direct and enforced statements take turns, so that other load and the versions of
 * rows that updates leave behind slow both.
 *
 *   bun test/bench/grants.ts
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "lectern/core";
import { type Db, openStore, rows, syncRoles } from "lectern/db";

const RUNS = 3_000;
const WARM_UP = 300;
const CALLERS = 16;

const dataDir = mkdtempSync(join(tmpdir(), "lectern-bench-"));
const store = await openStore({ dataDir });
await store.sql.unsafe(`create table boxes (id integer primary key, name text);
  insert into boxes select i, 'box ' || i from generate_series(1, 1000) i; analyze boxes`);
const { reason } = await syncRoles(store.db, [{ plugin: "bench", read: [], write: ["boxes"], columns: {} }]);
if (reason !== undefined) throw new Error(reason);
const own = store.restrictedTo("bench", { read: [], write: ["boxes"] });

const read = (db: Db, at: number) => rows(db, sql`select id, name from boxes where id = ${(at % 1000) + 1}`);
const change = (db: Db, at: number) =>
  rows(db, sql`update boxes set name = ${`box ${at}`} where id = ${(at % 1000) + 1} returning id`);

/** Median milliseconds of each statement, one at a time, in turn. */
async function inTurn(runs: readonly ((at: number) => Promise<unknown>)[]): Promise<number[]> {
  const times = runs.map((): number[] => []);
  for (let at = 0; at < RUNS; at++)
    for (const [which, run] of runs.entries()) {
      const started = performance.now();
      await run(at);
      if (at >= WARM_UP) times[which]?.push(performance.now() - started);
    }
  return times.map((some) => some.sort((a, b) => a - b)[Math.floor(some.length / 2)] as number);
}

/** Statements a second, by many callers. */
async function many(run: (at: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const caller = async (from: number) => {
    for (let at = from; at < RUNS; at += CALLERS) await run(at);
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(at)));
  return (RUNS / (performance.now() - started)) * 1_000;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);
const line = (what: string, direct: number, enforced: number, unit: string, digits: number) =>
  print(`${what.padEnd(34)} ${direct.toFixed(digits).padStart(8)} ${enforced.toFixed(digits).padStart(9)} ${unit}`);

print(`${"".padEnd(34)}   direct  enforced`);
for (const [name, run] of Object.entries({ "read by key": read, "update by key": change })) {
  const compare = async (what: string, dbs: readonly Db[]) => {
    const [direct = 0, enforced = 0] = await inTurn(dbs.map((db) => (at) => run(db, at)));
    line(what, direct, enforced, "ms, median", 3);
  };
  await compare(name, [store.db, own.db]);
  await store.db.transaction().execute((tx) => compare(`${name}, in a transaction`, [tx, own.within(tx)]));
  const [direct, enforced] = [await many((at) => run(store.db, at)), await many((at) => run(own.db, at))];
  line(`${name}, ${CALLERS} callers`, direct, enforced, "a second", 0);
}
await store.close();
rmSync(dataDir, { recursive: true, force: true });
