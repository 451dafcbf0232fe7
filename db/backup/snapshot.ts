/**
 * A consistent picture of a store while others write: one transaction REPEATABLE READ that sees the rows of one moment. Three
 * locks belong to it. That of migrations keeps steps from altering tables, shared locks of all tables keep them from being
 * dropped, as pg_dump has them, and that of files keeps the files that the rows refer to until the snapshot ends.
 */

import type { Readable } from "node:stream";
import type { Store } from "../connection/store_types.ts";
import { StoreError } from "../query/errors.ts";
import { MIGRATION_LOCK } from "../query/migrate.ts";
import { ident } from "../query/quoting.ts";
import { type Queries, readSchema, readSequenceValues, type SequenceValue, type StoreSchema } from "./catalogue.ts";
import { FILES_LOCK } from "./hold.ts";

/** A step of a migration that has run. */
export interface LedgerRow {
  readonly name: string;
  /** As text with microseconds. */
  readonly appliedAt: string;
}

/** The rows of one moment. */
export interface Snapshot {
  /** The version of the server, such as "18.4". */
  readonly server: string;
  readonly schema: StoreSchema;
  readonly sequences: readonly SequenceValue[];
  /** Steps by plugin; "core" is the runtime. */
  readonly ledgers: Readonly<Record<string, readonly LedgerRow[]>>;
  /** The rows of a table in PostgreSQL's text format of COPY, in the order in which they are stored; read one at a time. */
  copy(table: string): Promise<AsyncIterable<Uint8Array>>;
}

/** Settings of the sessions: a text form of values that does not depend on the server, and no limits of time. */
export const PORTABLE = `set local extra_float_digits = 3; set local intervalstyle = 'postgres'; set local bytea_output = 'hex';
  set local synchronize_seqscans = off; set local statement_timeout = 0; set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

/** What is done with a snapshot. */
export interface SnapshotUse {
  /** Reads the rows. */
  rows(snapshot: Snapshot): Promise<void>;
  /** Reads stored files, once the rows are read: those of the same moment are all there. */
  files(): Promise<void>;
}

/**
 * Reads the rows of one moment, then the files that belong to them. It uses both connections for tools.
 * @example
 * const store = await openStore({ dataDir: "./data" });
 * await withSnapshot(store, {
 *   async rows({ schema, copy }) {
 *     for (const { name } of schema.tables) for await (const chunk of await copy(name)) console.log(name, chunk.byteLength);
 *   },
 *   async files() {},
 * });
 */
export async function withSnapshot(store: Pick<Store, "sql">, use: SnapshotUse): Promise<void> {
  const { sql } = store;
  // Read committed: its own snapshot ends with each statement, so that a long copy of files does not hold back vacuum.
  await sql.begin("isolation level read committed", async (hold) => {
    await hold.unsafe("set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0");
    await hold.unsafe(`select pg_advisory_xact_lock(${FILES_LOCK})`);
    await hold.unsafe(`select pg_advisory_xact_lock_shared(${MIGRATION_LOCK})`);
    await sql.begin("isolation level repeatable read read only", async (tx) => {
      await tx.unsafe(PORTABLE);
      await use.rows(await take(tx));
    });
    await use.files();
  });
}

async function take(tx: Queries): Promise<Snapshot> {
  const schema = await readSchema(tx);
  for (const { name } of schema.tables) await tx.unsafe(`lock table ${ident(name)} in access share mode`);
  const [found] = await tx.unsafe<{ version: string }[]>("select current_setting('server_version') as version");
  return {
    server: found?.version.split(" ")[0] ?? "",
    schema,
    sequences: await readSequenceValues(tx),
    ledgers: await readLedgers(tx),
    copy: (table) => copyOut(tx, schema, table),
  };
}

async function copyOut(tx: Queries, { tables }: StoreSchema, table: string): Promise<AsyncIterable<Uint8Array>> {
  const found = tables.find(({ name }) => name === table);
  if (!found) throw new StoreError(`Cannot copy the table "${table}": it is not in the store`);
  return resumed(
    (await tx.unsafe(`copy ${ident(table)} ${columnList(found.columns)} to stdout`).readable()) as Readable,
  );
}

/**
 * postgres.js pauses its socket where the stream is full, and resumes it only where the stream is read on. If the last rows fill
 * the stream, nothing is read on after them, and the end of the statement would never be received: so it is resumed after the rows.
 */
async function* resumed(copied: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of copied) yield chunk as Uint8Array;
  copied._read(0);
}

/** The columns of a COPY; none for a table without columns. */
export function columnList(columns: readonly string[]): string {
  return columns.length === 0 ? "" : `(${columns.map(ident).join(", ")})`;
}

async function readLedgers(tx: Queries): Promise<Record<string, LedgerRow[]>> {
  const names = await tx.unsafe<{ name: string }[]>(
    "select tablename as name from pg_tables where schemaname = 'lectern_ledger' order by 1",
  );
  const ledgers: Record<string, LedgerRow[]> = {};
  for (const { name } of names) {
    const found = await tx.unsafe<LedgerRow[]>(
      `select name, applied_at as "appliedAt" from lectern_ledger.${ident(name)} order by name`,
    );
    ledgers[name] = [...found];
  }
  return ledgers;
}
