/**
 * `bun test/bench/name_order.ts [names]`: names in alphabetical order, whatever their case and accents: by the stored key of
 * `text_key` that the tables have, and by a nondeterministic ICU collation. Shown are the time to write the names, and medians
 * of a first page of 100, of one far behind, of finding a name and of looking inside names. What a store cannot do is shown as its error.
 */
import { tmpdir } from "node:os";
import { type RawBuilder, sql } from "lectern/core";
import { type Db, openStore, rows } from "lectern/db";
import { coreMigrations } from "../../core/runtime/migrations.ts";
import { migrate } from "../../db/mod.ts";
import { startCluster } from "../support/harness/cluster.ts";

const ROUNDS = 9;
const names = Number(process.argv[2] ?? 200_000);

const cluster = await startCluster();
const databaseUrl = cluster?.url ?? process.env.DATABASE_URL;
if (databaseUrl === undefined) throw new Error("Cannot measure: set DATABASE_URL or install PostgreSQL");
const store = await openStore({ databaseUrl, dataDir: tmpdir() });
const { db } = store;
await migrate(db, "core", coreMigrations);

async function timed(run: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      await run();
      times.push(performance.now() - began);
    }
  } catch (error) {
    return (error as Error).message;
  }
  return `${times.sort((a, b) => a - b)[ROUNDS >> 1]?.toFixed(1)} ms`;
}

async function filled(db: Db, table: string, columns: RawBuilder<unknown>, indexed: RawBuilder<unknown>) {
  const began = performance.now();
  await sql`create table ${sql.table(table)} (id integer primary key, ${columns})`.execute(db);
  await sql`insert into ${sql.table(table)} (id, name)
    select n, (array['Äpfel ','apple ','Zürich ','Straße ','Runbook '])[1 + n % 5] || md5(n::text)
    from generate_series(1, ${names}::integer) n`.execute(db);
  await sql`create index on ${sql.table(table)} (${indexed}, id)`.execute(db);
  await sql`analyze ${sql.table(table)}`.execute(db);
  return `${(performance.now() - began).toFixed(0)} ms`;
}

const key = sql`text_key(${"zurich c4ca4238a0b923820dcc509a6f75849b"})`;
const out = (what: string, byKey: string, byCollation: string) =>
  process.stdout.write(`${what.padEnd(24)} key: ${byKey.padEnd(12)} ICU: ${byCollation}\n`);
try {
  await sql`create collation people (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`.execute(db);
  out(
    `write ${names}, with index`,
    await filled(
      db,
      "keyed",
      sql`name text, key text collate "C" generated always as (left(text_key(name), 600)) stored`,
      sql`key`,
    ),
    await filled(db, "collated", sql`name text collate people`, sql`name`),
  );
  const far = names >> 1;
  const both = async (what: string, byKey: RawBuilder<unknown>, byCollation: RawBuilder<unknown>) =>
    out(what, await timed(() => rows(db, byKey)), await timed(() => rows(db, byCollation)));
  await both(
    "first 100",
    sql`select id from keyed order by key, id limit 100`,
    sql`select id from collated order by name, id limit 100`,
  );
  await both(
    `100 at offset ${far}`,
    sql`select id from keyed order by key, id limit 100 offset ${sql.lit(far)}`,
    sql`select id from collated order by name, id limit 100 offset ${sql.lit(far)}`,
  );
  await both(
    "one name",
    sql`select id from keyed where key = ${key}`,
    sql`select id from collated where name = ${"zurich c4ca4238a0b923820dcc509a6f75849b"}`,
  );
  await both(
    "part of a name",
    sql`select count(*) from keyed where key like text_pattern(${"%ZURICH c4%"})`,
    sql`select count(*) from collated where name like ${"%ZURICH c4%"}`,
  );
} finally {
  await store.close();
  await cluster?.stop();
}
