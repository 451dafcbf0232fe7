/**
 * Writes an item unless it is unchanged. Its current state at the source, with the ids of owners and parents here, is compared
 * by hash with the one that was written last. An item that was changed here, which its `updated_at` shows, is not overwritten
 * unless the operator requests it. The item, what depends on it and its state are written in one transaction.
 */
import type { Insertable, Selectable, Updateable } from "kysely";
import { type EventTransaction, SYSTEM, sql } from "lectern/core";
import type { TableName, Tables } from "lectern/db";
import type { Kind, MigrateContext, Outcome } from "./contract.ts";
import { MATCHED, STATE_COLUMNS, type StateEntry, stampOf, TABLES } from "./state.ts";
import { hashOf } from "./values.ts";

/** The row of an item. */
export type Row<K extends Kind = Kind> = { [Each in K]: Selectable<Tables[(typeof TABLES)[Each]]> }[K];

/** What the rows of all kinds have in common. */
interface Stamped {
  readonly updated_at: string;
  readonly deleted_at?: string | null;
}

/** An item to write. */
export interface ItemWrite<K extends Kind = Kind, T = undefined> {
  readonly kind: K;
  /** Its id at the source. */
  readonly id: number;
  /** Its state at the source, with the ids of referenced items here. Its hash is stored, so that keys must not change. */
  readonly desired: object;
  /** Fetches what writing requires, before the transaction; not called for an unchanged item. */
  readonly prepare?: () => Promise<T>;
  /** Writes it; `existing` is the locked row where there is one. */
  readonly write: (
    facts: { existing: Row<K> | undefined; id: number; entry: StateEntry },
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
export async function writeItem<K extends Kind, T>(
  context: MigrateContext,
  itemWrite: ItemWrite<K, T>,
): Promise<Outcome> {
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
export async function writeWithin<K extends Kind, T>(
  context: MigrateContext,
  { kind, id, desired, write }: ItemWrite<K, T>,
  tx: EventTransaction,
  prepared: T,
): Promise<Outcome> {
  const { state, options } = context;
  const hash = hashOf(desired);
  const entry = await tx.db
    .selectFrom("migrated_items")
    .select(STATE_COLUMNS)
    .where(state.row(kind, id))
    .forUpdate()
    .executeTakeFirst();
  if (!entry) throw new Error(`Cannot copy ${kind} ${id}: no id was reserved for it`);
  const existing = entry.hash === null ? undefined : await lockRow(kind, entry.own_id, tx);
  const outcome = outcomeOf(entry, existing, hash, options.overwrite);
  const written = outcome === "created" || outcome === "updated";
  if (written) await write({ existing, id: entry.own_id, entry }, tx, prepared);
  const updated = await tx.db
    .updateTable("migrated_items")
    .set({ run: state.run, ...(written && stateUpdates(kind, entry.own_id, hash, tx)) })
    .where(state.row(kind, id))
    .returning(STATE_COLUMNS)
    .executeTakeFirst();
  if (updated) tx.afterCommit(() => state.set(kind, id, updated));
  return outcome;
}

function outcomeOf(entry: StateEntry, existing: Stamped | undefined, hash: string, overwrite: boolean): Outcome {
  if (entry.hash === null) return "created";
  if (entry.hash === hash || entry.hash === MATCHED) return "skipped";
  if (!existing || existing.deleted_at) return "removed";
  return existing.updated_at === entry.stamp || overwrite ? "updated" : "edited";
}

/** The assignments of an item's state. They read `updated_at` and slug from the row, since event handlers may change them. */
function stateUpdates(kind: Kind, targetId: number, hash: string, { db }: EventTransaction) {
  // Tables of items have these columns in common, but for the one of the address.
  const row = db.selectFrom(TABLES[kind] as "pages").where("id", "=", targetId);
  const column = ADDRESS_COLUMNS[kind];
  return {
    hash,
    stamp: row.select(({ ref }) => stampOf(ref("updated_at")).as("stamp")),
    ...(column && { slug: row.select(sql.ref<string>(column).as("slug")).$asScalar().$notNull() }),
  };
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

async function lockRow<K extends Kind>(
  kind: K,
  id: number,
  { db }: EventTransaction,
): Promise<(Row<K> & Stamped) | undefined> {
  // As in `insertRow`.
  const row = await db
    .selectFrom(TABLES[kind] as "pages")
    .selectAll()
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  return row as (Row<K> & Stamped) | undefined;
}

/** Inserts a row and returns it. */
export async function insertRow<Name extends TableName>(
  { db }: EventTransaction,
  table: Name,
  columns: Insertable<Tables[Name]>,
): Promise<Selectable<Tables[Name]>> {
  // The builder cannot follow a table that is a type parameter; the signature checks names and values.
  const row = await db
    .insertInto(table as "pages")
    .values(columns as never)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as Selectable<Tables[Name]>;
}

/** Updates a row and returns it. */
export async function updateRow<Name extends TableName>(
  { db }: EventTransaction,
  table: Name,
  id: number,
  columns: Updateable<Tables[Name]>,
): Promise<Selectable<Tables[Name]>> {
  // As in `insertRow`.
  const row = await db
    .updateTable(table as "pages")
    .set(columns as never)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row as Selectable<Tables[Name]>;
}
