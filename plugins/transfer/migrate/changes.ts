/**
 * Writes an item unless it is unchanged. Its current state at the source, with the ids of owners and parents here, is compared
 * by hash with the one that was written last. An item that was changed here, which its `updated_at` shows, is not overwritten
 * unless the operator requests it. The item, what depends on it and its state are written in one transaction.
 */
import { type EventTransaction, type RawBuilder, SYSTEM, sql } from "lectern/core";
import { rows, type TableName } from "lectern/db";
import type { Kind, MigrateContext, Outcome } from "./contract.ts";
import { MATCHED, type StateEntry, stampOf, TABLES } from "./state.ts";
import { hashOf } from "./values.ts";

/** Columns of a row by name. The names come from this plugin's code, never from input. */
export type Columns = Readonly<Record<string, unknown>>;

/** A row of a content table. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number; readonly updated_at: string };

/** An item to write. */
export interface ItemWrite<T = undefined> {
  readonly kind: Kind;
  /** Its id at the source. */
  readonly id: number;
  /** Its state at the source, with the ids of referenced items here. Its hash is stored, so that keys must not change. */
  readonly desired: object;
  /** Fetches what writing requires, before the transaction; not called for an unchanged item. */
  readonly prepare?: () => Promise<T>;
  /** Writes it; `existing` is the locked row where there is one. */
  readonly write: (
    facts: { existing: Row | undefined; id: number; entry: StateEntry },
    tx: EventTransaction,
    prepared: T,
  ) => Promise<void>;
}

/** Whether an item is as it was written last, or existed here before and is not changed. */
export function isUnchanged({ state }: MigrateContext, kind: Kind, id: number, desired: object): boolean {
  const hash = state.get(kind, id)?.hash;
  return hash === MATCHED || hash === hashOf(desired);
}

/** Writes an item in its own transaction. Throws what its events throw. */
export async function writeItem<T>(context: MigrateContext, itemWrite: ItemWrite<T>): Promise<Outcome> {
  const { kind, id, desired } = itemWrite;
  if (isUnchanged(context, kind, id, desired)) {
    await context.state.markProcessed(kind, id);
    return "skipped";
  }
  const prepared = (await itemWrite.prepare?.()) as T;
  return performMigration(context, kind, id, (tx) => writeWithin(context, itemWrite, tx, prepared));
}

/** Performs the event `migrate_item` with `write` as its action. */
export async function performMigration(
  { perform }: MigrateContext,
  kind: Kind,
  id: number,
  write: (tx: EventTransaction) => Promise<Outcome>,
): Promise<Outcome> {
  const { outcome } = await perform("migrate_item", SYSTEM, { kind, source_id: id }, async (_, tx) => ({
    outcome: await write(tx),
  }));
  return outcome;
}

/** Writes an item within a transaction, its own or that of its parent. */
export async function writeWithin<T>(
  context: MigrateContext,
  { kind, id, desired, write }: ItemWrite<T>,
  tx: EventTransaction,
  prepared: T,
): Promise<Outcome> {
  const { state, options } = context;
  const hash = hashOf(desired);
  const [entry] = await rows<StateEntry>(
    tx.db,
    sql`select own_id, source_slug, slug, hash, stamp, run from migrated_items where ${state.row(kind, id)} for update`,
  );
  if (!entry) throw new Error(`Cannot copy ${kind} ${id}: no id was reserved for it`);
  const existing = entry.hash === null ? undefined : await lockRow(TABLES[kind], entry.own_id, tx);
  const outcome = outcomeOf(entry, existing, hash, options.overwrite);
  const written = outcome === "created" || outcome === "updated";
  if (written) await write({ existing, id: entry.own_id, entry }, tx, prepared);
  const [updated] = await rows<StateEntry>(
    tx.db,
    sql`update migrated_items set run = ${state.run}::integer, ${written ? stateUpdates(kind, entry.own_id, hash) : sql`hash = hash`}
      where ${state.row(kind, id)} returning own_id, source_slug, slug, hash, stamp, run`,
  );
  if (updated) tx.afterCommit(() => state.set(kind, id, updated));
  return outcome;
}

function outcomeOf(entry: StateEntry, existing: Row | undefined, hash: string, overwrite: boolean): Outcome {
  if (entry.hash === null) return "created";
  if (entry.hash === hash || entry.hash === MATCHED) return "skipped";
  if (!existing || existing.deleted_at) return "removed";
  return existing.updated_at === entry.stamp || overwrite ? "updated" : "edited";
}

/** The assignments of an item's state. They read `updated_at` and slug from the row, since event handlers may change them. */
function stateUpdates(kind: Kind, targetId: number, hash: string): RawBuilder<unknown> {
  const table = sql.table(TABLES[kind]);
  const column = ADDRESS_COLUMNS[kind];
  const slug = column ? sql`, slug = (select ${sql.ref(column)} from ${table} where id = ${targetId}::integer)` : sql``;
  return sql`hash = ${hash}, stamp = (select ${stampOf(sql.ref("updated_at"))} from ${table}
    where id = ${targetId}::integer)${slug}`;
}

/** The column of a row's slug or path. */
const ADDRESS_COLUMNS: Partial<Record<Kind, string>> = {
  user: "slug",
  bookshelf: "slug",
  book: "slug",
  chapter: "slug",
  page: "slug",
  image: "path",
  cover: "path",
};

async function lockRow(table: TableName, id: number, tx: EventTransaction): Promise<Row | undefined> {
  const [row] = await rows<Row>(tx.db, sql`select * from ${sql.table(table)} where id = ${id}::integer for update`);
  return row;
}

/** Inserts a row and returns it. */
export async function insertRow<R = Row>(tx: EventTransaction, table: TableName, columns: Columns): Promise<R> {
  const names = sql.join(Object.keys(columns).map((name) => sql.id(name)));
  const values = sql.join(Object.values(columns).map((value) => sql`${value}`));
  const [row] = await rows<R>(tx.db, sql`insert into ${sql.table(table)} (${names}) values (${values}) returning *`);
  return row as R;
}

/** Updates a row and returns it. */
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
