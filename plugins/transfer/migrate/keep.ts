/**
 * Writes one item, or finds that nothing is to be done. Compared is what the source says now, with owners and parents of
 * here, and what it said when the item was written last. Whoever changed it here keeps the change: a stamp that is not the one we left
 * means hands off, unless the operator says otherwise. Row, what hangs on it and the note that it was written are one
 * transaction.
 */
import { type EventTransaction, type RawBuilder, SYSTEM, sql } from "lectern/core";
import { rows, type TableName } from "lectern/db";
import type { Kind, Outcome } from "./contract.ts";
import type { Run } from "./run_parts.ts";
import { type Entry, FOUND, stampOf, TABLES } from "./state.ts";
import { hashOf } from "./values.ts";

/** Columns of a row by name; the names are our own and never come from elsewhere. */
export type Columns = Readonly<Record<string, unknown>>;

/** A row as it is here. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number; readonly updated_at: string };

/** An item to write. */
export interface Keeping<T = undefined> {
  readonly kind: Kind;
  /** Its id at the source. */
  readonly id: number;
  /** All that it is there: texts as they are there, what it names by number as that is here. */
  readonly wanted: object;
  /** Fetches what it needs, before any transaction; left out where nothing is to be done. */
  readonly prepare?: () => Promise<T>;
  /** Writes it; `own` is the locked row where there is one. */
  readonly write: (
    facts: { own: Row | undefined; id: number; entry: Entry },
    tx: EventTransaction,
    prepared: T,
  ) => Promise<void>;
}

/** Whether what an item shall be is what was written last, or none of our business. */
export function isKept({ state }: Run, kind: Kind, id: number, wanted: object): boolean {
  const hash = state.get(kind, id)?.hash;
  return hash === FOUND || hash === hashOf(wanted);
}

/** Writes an item in a transaction of its own. Throws what its events throw. */
export async function keep<T>(run: Run, keeping: Keeping<T>): Promise<Outcome> {
  const { kind, id, wanted } = keeping;
  if (isKept(run, kind, id, wanted)) {
    await run.state.pass(kind, id);
    return "skipped";
  }
  const prepared = (await keeping.prepare?.()) as T;
  return inTransaction(run, kind, id, (tx) => keepWithin(run, keeping, tx, prepared));
}

/** Runs work on an item as one event. */
export async function inTransaction(
  { perform }: Run,
  kind: Kind,
  id: number,
  act: (tx: EventTransaction) => Promise<Outcome>,
): Promise<Outcome> {
  const { outcome } = await perform("migrate_item", SYSTEM, { kind, source_id: id }, async (_, tx) => ({
    outcome: await act(tx),
  }));
  return outcome;
}

/** Writes an item within a transaction that was begun for it or for what it hangs on. */
export async function keepWithin<T>(
  run: Run,
  { kind, id, wanted, write }: Keeping<T>,
  tx: EventTransaction,
  prepared: T,
): Promise<Outcome> {
  const { state, choices } = run;
  const hash = hashOf(wanted);
  const [entry] = await rows<Entry>(
    tx.db,
    sql`select own_id, source_slug, slug, hash, stamp, run from migrated_items where ${state.row(kind, id)} for update`,
  );
  if (!entry) throw new Error(`Cannot copy ${kind} ${id}: no place was kept for it`);
  const own = entry.hash === null ? undefined : await lockedRow(TABLES[kind], entry.own_id, tx);
  const outcome = judge(entry, own, hash, choices.overwrite);
  const written = outcome === "created" || outcome === "updated";
  if (written) await write({ own, id: entry.own_id, entry }, tx, prepared);
  const [kept] = await rows<Entry>(
    tx.db,
    sql`update migrated_items set run = ${state.run}::integer, ${written ? setsOf(kind, entry.own_id, hash) : sql`hash = hash`}
      where ${state.row(kind, id)} returning own_id, source_slug, slug, hash, stamp, run`,
  );
  if (kept) tx.afterCommit(() => state.note(kind, id, kept));
  return outcome;
}

function judge(entry: Entry, own: Row | undefined, hash: string, overwrite: boolean): Outcome {
  if (entry.hash === null) return "created";
  if (entry.hash === hash || entry.hash === FOUND) return "skipped";
  if (!own || own.deleted_at) return "removed";
  return own.updated_at === entry.stamp || overwrite ? "updated" : "edited";
}

/** The stamp is what the row says once everybody has joined in. */
function setsOf(kind: Kind, own: number, hash: string): RawBuilder<unknown> {
  const table = sql.table(TABLES[kind]);
  const column = ADDRESS[kind];
  const slug = column ? sql`, slug = (select ${sql.ref(column)} from ${table} where id = ${own}::integer)` : sql``;
  return sql`hash = ${hash}, stamp = (select ${stampOf(sql.ref("updated_at"))} from ${table}
    where id = ${own}::integer)${slug}`;
}

/** The column that is a row's own part of its address. */
const ADDRESS: Partial<Record<Kind, string>> = {
  user: "slug",
  bookshelf: "slug",
  book: "slug",
  chapter: "slug",
  page: "slug",
  image: "path",
  cover: "path",
};

async function lockedRow(table: TableName, id: number, tx: EventTransaction): Promise<Row | undefined> {
  const [row] = await rows<Row>(tx.db, sql`select * from ${sql.table(table)} where id = ${id}::integer for update`);
  return row;
}

/** Inserts a row. */
export async function insertRow<R = Row>(tx: EventTransaction, table: TableName, columns: Columns): Promise<R> {
  const names = sql.join(Object.keys(columns).map((name) => sql.id(name)));
  const values = sql.join(Object.values(columns).map((value) => sql`${value}`));
  const [row] = await rows<R>(tx.db, sql`insert into ${sql.table(table)} (${names}) values (${values}) returning *`);
  return row as R;
}

/** Changes a row. */
export async function updateRow<R = Row>(
  tx: EventTransaction,
  table: TableName,
  id: number,
  columns: Columns,
): Promise<R> {
  const sets = sql.join(Object.entries(columns).map(([name, value]) => sql`${sql.id(name)} = ${value}`));
  const [row] = await rows<R>(tx.db, sql`update ${sql.table(table)} set ${sets} where id = ${id}::integer returning *`);
  return row as R;
}
