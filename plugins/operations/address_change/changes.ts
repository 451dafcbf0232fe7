/**
 * Replaces the address in stored texts, a few rows at a time. Items are changed by the event `address_replace`, so that the
 * search index and the record of links follow in the same transaction; caches learn of it from the triggers of the tables.
 * Neither revisions nor times of change are written, and no event of the items is performed, which would call webhooks.
 */
import { type EventTransaction, type RawBuilder, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { AddressContext } from "./contract.ts";
import { type Addresses, hasAddress, replacing, type TextTable } from "./texts.ts";

/** Rows that are searched by one statement. */
const RANGE = 500;
/** Rows that are changed in one transaction. */
const BATCH = 50;

/** The number of rows with an address. */
export async function countRows(context: AddressContext, table: TextTable, addresses: Addresses): Promise<number> {
  if (table.hasId) {
    let count = 0;
    for await (const ids of foundIds(context, table, addresses)) count += ids.length;
    return count;
  }
  // Templates, here and below: the tables are those of other plugins, chosen by the slot `content` or the list of texts.
  const [found] = await rows<{ n: number }>(
    context.db,
    sql`select count(*)::integer as n from ${sql.table(table.table)} where ${hasAddress(table, addresses)}`,
  );
  return found?.n ?? 0;
}

/** What one transaction changes. */
export interface Batch {
  /** The number of its rows. */
  readonly count: number;
  /** Changes them, and does something else in the same transaction. */
  run(also: (tx: Writer) => Promise<void>): Promise<void>;
}

type Writer = Pick<EventTransaction, "db">;

/** The rows of a table with an address, in batches. */
export async function* batchesOf(
  context: AddressContext,
  table: TextTable,
  addresses: Addresses,
): AsyncGenerator<Batch> {
  if (!table.hasId) {
    // Few rows, which are changed at once.
    const count = await countRows(context, table, addresses);
    if (count > 0)
      yield { count, run: (also) => inTransaction(context, table, hasAddress(table, addresses), addresses, also) };
    return;
  }
  const { kind } = table;
  for await (const found of foundIds(context, table, addresses))
    for (let at = 0; at < found.length; at += BATCH) {
      const ids = found.slice(at, at + BATCH);
      const run: Batch["run"] =
        kind === undefined
          ? (also) => inTransaction(context, table, among(ids), addresses, also)
          : (also) => changeItems(context, { ...table, kind }, ids, addresses, also);
      yield { count: ids.length, run };
    }
}

function inTransaction(
  { db }: AddressContext,
  table: TextTable,
  where: RawBuilder<boolean>,
  addresses: Addresses,
  also: (tx: Writer) => Promise<void>,
): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await update({ db: tx }, table, where, addresses);
    await also({ db: tx });
  });
}

/** The ids of rows with an address, by ranges of the table. */
async function* foundIds(
  { db }: AddressContext,
  table: TextTable,
  addresses: Addresses,
): AsyncGenerator<readonly number[]> {
  for (let after = 0; ; ) {
    const [range] = await rows<{ last: number | null; ids: number[] | null }>(
      db,
      sql`select max(id) as last, array_agg(id order by id) filter (where ${hasAddress(table, addresses)}) as ids
        from (select id, ${sql.join(table.columns.map((column) => sql.id(column)))} from ${sql.table(table.table)}
          where id > ${after}::integer order by id limit ${sql.lit(RANGE)}) as part`,
    );
    if (range?.last == null) return;
    after = range.last;
    if (range.ids) yield range.ids;
  }
}

function among(ids: readonly number[]): RawBuilder<boolean> {
  return sql<boolean>`id = any(${[...ids]}::integer[])`;
}

async function update(
  { db }: Writer,
  table: TextTable,
  where: RawBuilder<boolean>,
  addresses: Addresses,
): Promise<void> {
  await sql`update ${sql.table(table.table)} set ${replacing(table, addresses)} where ${where}`.execute(db);
}

async function changeItems(
  context: AddressContext,
  table: TextTable & { readonly kind: string },
  ids: readonly number[],
  addresses: Addresses,
  also: (tx: Writer) => Promise<void>,
): Promise<void> {
  const { perform, slot } = context;
  const { kind } = table;
  await perform("address_replace", SYSTEM, { kind, ids }, async (final, tx) => {
    const before = await htmlOf(table, final.ids, tx);
    await update(tx, table, among(final.ids), addresses);
    const after = await htmlOf(table, final.ids, tx);
    // Links with the former address were links to another site. Where the new one is not yet that of this process, links
    // with it would be: the records stay, which have no address.
    for (const [id, html] of context.baseUrl === addresses.new ? before : [])
      for (const record of slot("content_record"))
        await record.changed({ kind, id }, { before: html, after: after.get(id) ?? "" }, tx);
    await also(tx);
    return final;
  });
}

/** The HTML of items by id, in order; their rows are locked. */
async function htmlOf(
  { table, html }: TextTable,
  ids: readonly number[],
  { db }: EventTransaction,
): Promise<ReadonlyMap<number, string>> {
  if (html === undefined) return new Map();
  const found = await rows<{ id: number; html: string }>(
    db,
    sql`select id, ${sql.id(html)} as html from ${sql.table(table)} where id = any(${[...ids]}::integer[])
      order by id for update`,
  );
  return new Map(found.map((row) => [row.id, row.html]));
}

/** Leaves one row in the audit log, of the guest as for all that commands do. It is no event, which would call webhooks. */
export async function logChange({ db }: Writer, addresses: Addresses): Promise<void> {
  const guest = await db.selectFrom("users").select("id").where("system_name", "=", "public").executeTakeFirst();
  const detail = `app-url: ${addresses.old} to ${addresses.new}`;
  await db
    .insertInto("activities")
    .values({ type: "maintenance_action_run", detail, user_id: guest?.id ?? 0, ip: "" })
    .execute();
}
