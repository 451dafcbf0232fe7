/**
 * Builds the tables of a store again from their description and their rows, in one transaction: an error, a kill and a loss of
 * the connection leave the store as it was. Constraints, indexes and triggers are created after the rows, so that triggers do
 * not fire for them and no right beyond that of the owner is needed.
 */
import type { Writable } from "node:stream";
import type { Store } from "../connection/store_types.ts";
import { StoreError } from "../query/errors.ts";
import { MIGRATION_LOCK } from "../query/migrate.ts";
import { ident, literal } from "../query/quoting.ts";
import { messageOf } from "../query/unknown_values.ts";
import type { LaterStep, Queries, SequenceValue, StoreSchema } from "./catalogue.ts";
import { columnList, type LedgerRow, PORTABLE } from "./snapshot.ts";

/** Tables and sequences of an extension, such as those of PostGIS, belong to it. */
const NOT_OF_EXTENSION = `not exists (select from pg_depend
  where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`;

/** What a store is built from; the rows come later. */
export interface Plan {
  readonly schema: StoreSchema;
  readonly sequences: readonly SequenceValue[];
  readonly ledgers: Readonly<Record<string, readonly LedgerRow[]>>;
}

/** A store that is being built. */
export interface Rebuild {
  /** Opens a table for its rows, in PostgreSQL's text format of COPY. */
  table(name: string): Promise<TableRows>;
}

/** Receives the rows of one table. */
export interface TableRows {
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves to the number of rows that the table has. */
  end(): Promise<number>;
}

/** Options of a rebuild. */
export interface RebuildOptions {
  /** Drops the present tables first, in the same transaction; without it they are an error. */
  readonly replace: boolean;
  /** Receives the parts that the server cannot have, such as indexes of an extension that it lacks. */
  readonly onLeftOut: (text: string) => void;
}

/**
 * Whether a store has neither tables nor ledgers.
 * @example
 * const store = await openStore({ dataDir: "./data" });
 * if (!(await isEmptyStore(store))) throw new Error("Restore into an empty store");
 */
export async function isEmptyStore({ sql }: { readonly sql: Queries }): Promise<boolean> {
  const [found] = await sql.unsafe<{ there: boolean }[]>(`select to_regnamespace('lectern_ledger') is not null
    or exists (select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and ${NOT_OF_EXTENSION}) as there`);
  return found?.there !== true;
}

/**
 * Whether a server or a command works on the store: any process has a connection of a runtime.
 * @example
 * const store = await openStore({ dataDir: "./data" });
 * if (await isInUse(store)) throw new Error("Stop the server first");
 */
export async function isInUse({ sql }: { readonly sql: Queries }): Promise<boolean> {
  const [found] = await sql.unsafe<{ used: boolean }[]>(`select exists (select from pg_stat_activity
    where datname = current_database() and application_name = 'lectern') as used`);
  return found?.used === true;
}

/**
 * Builds a store: `fill` writes the rows, and whatever else has to be there when the tables appear. Commits after it. Throws
 * StoreError where the store has tables already, and whatever `fill` throws; nothing has changed then.
 * @example
 * const tables = [{ name: "notes", columns: ["id", "name"], create: "create table notes (id integer, name text)" }];
 * const schema = { schema: "public", extensions: [], before: [], tables, after: [] };
 * const plan = { schema, sequences: [], ledgers: {} };
 * const store = await openStore({ dataDir: "./data" });
 * await rebuildStore(store, plan, { replace: false, onLeftOut: console.error }, async ({ table }) => {
 *   const rows = await table("notes");
 *   await rows.write(new TextEncoder().encode("1\tFirst note\n"));
 *   await rows.end();
 * });
 */
export async function rebuildStore(
  store: Pick<Store, "sql">,
  plan: Plan,
  { replace, onLeftOut }: RebuildOptions,
  fill: (rebuild: Rebuild) => Promise<void>,
): Promise<void> {
  await store.sql.begin(async (tx) => {
    await tx.unsafe(`${PORTABLE}; set local check_function_bodies = off`);
    // Servers and commands that start meanwhile wait for it before their migrations.
    await tx.unsafe(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // One that started since the caller has looked works with the tables already.
    if (await isInUse({ sql: tx }))
      throw new StoreError("Cannot build the store: a server or a command that uses it was started meanwhile; stop it");
    if (replace) await dropAll(tx);
    else if (!(await isEmptyStore({ sql: tx }))) throw new StoreError("Cannot build the store: it has tables already");
    const extensions = await createExtensions(tx, plan.schema.extensions);
    await checkPlace(tx, plan.schema);
    for (const text of plan.schema.before) await run(tx, text);
    for (const { create } of plan.schema.tables) await run(tx, create);
    await fill({ table: (name) => openTable(tx, plan.schema, name) });
    for (const step of plan.schema.after) await later(tx, step, extensions, onLeftOut);
    for (const { name, value, isCalled } of plan.sequences)
      await tx.unsafe(`select setval(${literal(ident(name))}, ${literal(value)}::int8, ${isCalled})`);
    await createLedgers(tx, plan.ledgers);
    await tx.unsafe("analyze");
  });
}

async function run(tx: Queries, text: string): Promise<void> {
  try {
    await tx.unsafe(text);
  } catch (cause) {
    const line = text.length > 200 ? `${text.slice(0, 200)} …` : text;
    throw new StoreError(`Cannot build the store: ${messageOf(cause)}, at "${line}"`, { cause });
  }
}

async function checkPlace(tx: Queries, { schema }: StoreSchema): Promise<void> {
  const [place] = await tx.unsafe<{ schema: string }[]>("select current_schema() as schema");
  if (place?.schema !== schema)
    throw new StoreError(
      `Cannot build the store: its tables belong into the schema "${schema}", and the search_path begins with "${place?.schema}"`,
    );
}

/** Creates the extensions that the server has and the account may create. Resolves to those that are there. */
async function createExtensions(tx: Queries, names: readonly string[]): Promise<ReadonlySet<string>> {
  for (const name of names)
    await tx.unsafe(`do $lectern$ begin create extension if not exists ${ident(name)};
      exception when insufficient_privilege or undefined_file or feature_not_supported then null; end $lectern$`);
  const found = await tx.unsafe<{ name: string }[]>("select extname as name from pg_extension");
  return new Set(found.map(({ name }) => name));
}

async function later(
  tx: Queries,
  { sql, extension }: LaterStep,
  extensions: ReadonlySet<string>,
  onLeftOut: RebuildOptions["onLeftOut"],
): Promise<void> {
  if (extension !== null && !extensions.has(extension))
    return onLeftOut(`The server has no extension "${extension}", so there is no index by: ${sql}`);
  await run(tx, sql);
}

async function openTable(tx: Queries, { tables }: StoreSchema, name: string): Promise<TableRows> {
  const found = tables.find((table) => table.name === name);
  if (!found) throw new StoreError(`Cannot fill the table "${name}": it is not described`);
  const copied = (await tx
    .unsafe(`copy ${ident(name)} ${columnList(found.columns)} from stdin`)
    .writable()) as Writable;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  copied.once("error", (cause) =>
    failed.reject(new StoreError(`Cannot fill the table "${name}": ${cause.message}`, { cause })),
  );
  return {
    async write(chunk) {
      const written = new Promise<void>((resolve) => {
        copied.write(chunk, () => resolve());
      });
      // No deadline, which the statement has: a refused row ends the copy.
      await Promise.race([written, failed.promise]);
    },
    async end() {
      copied.end();
      // `end` is sent in a later turn. An error of the last rows does not reach the stream; the transaction is aborted by it.
      await new Promise((resolve) => setImmediate(resolve));
      const counting = tx.unsafe<{ n: number }[]>(`select count(*)::float8 as n from ${ident(name)}`).execute();
      // Likewise, for the last rows.
      const [count] = await Promise.race([counting, failed.promise]).catch((cause: Error) => {
        throw cause instanceof StoreError
          ? cause
          : new StoreError(`Cannot fill the table "${name}": the server refused its rows`, { cause });
      });
      return count?.n ?? 0;
    },
  };
}

async function createLedgers(tx: Queries, ledgers: Plan["ledgers"]): Promise<void> {
  await tx.unsafe("create schema lectern_ledger");
  for (const [plugin, steps] of Object.entries(ledgers)) {
    const name = `lectern_ledger.${ident(plugin)}`;
    await tx.unsafe(`create table ${name} (name text primary key, applied_at timestamptz not null default now())`);
    for (const step of steps)
      await tx.unsafe(`insert into ${name} values (${literal(step.name)}, ${literal(step.appliedAt)})`);
  }
}

/** Drops what `readSchema` describes, and the ledgers. Roles of plugins stay; the next boot gives them their rights again. */
async function dropAll(tx: Queries): Promise<void> {
  const drops = await tx.unsafe<{ text: string }[]>(`
    select 'drop view if exists ' || quote_ident(relname) || ' cascade' as text, 1 as place from pg_class
      where relkind = 'v' and relnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    union all select 'drop table if exists ' || quote_ident(relname) || ' cascade', 2 from pg_class
      where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and ${NOT_OF_EXTENSION}
    union all select 'drop sequence if exists ' || quote_ident(relname) || ' cascade', 3 from pg_class
      where relkind = 'S' and relnamespace = current_schema()::regnamespace and ${NOT_OF_EXTENSION}
    union all select format('drop routine if exists %I(%s) cascade', proname, pg_get_function_identity_arguments(oid)), 4
      from pg_proc where pronamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all select 'drop type if exists ' || quote_ident(typname) || ' cascade', 5 from pg_type
      where typtype = 'e' and typnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_type.oid and deptype = 'e')
    order by place`);
  for (const { text } of drops) await tx.unsafe(text);
  await tx.unsafe("drop schema if exists lectern_ledger cascade");
}
