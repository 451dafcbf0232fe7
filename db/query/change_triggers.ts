/**
 * Triggers that report changes of tables, for caches of what was read from them. They report every change, whoever makes it:
 * a plugin's own statement, a cascade, another version of Lectern, an operator with psql. A statement is reported once, with
 * the values of the watched columns in its rows before and after; one with many rows as a change of the whole table.
 */
import { sql } from "kysely";
import { MIGRATION_LOCK } from "./migrate.ts";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** The channel of notifications, which caches listen to. */
export const CACHE_CHANNEL = "lectern_cache";

/** SQLSTATE of the notices of triggers. */
export const CHANGE_NOTICE = "LCT01";

/** A table whose changes are reported. */
export interface WatchedTable {
  readonly table: string;
  /** Integer columns whose values are reported, such as "id" and "book_id". */
  readonly columns: readonly string[];
  /** The columns whose updates are reported; those of all columns if undefined. */
  readonly only: readonly string[] | undefined;
}

/** Rows of one statement that are reported singly, before and after together. */
const MAX_ROWS = 100;
/** Characters of a payload, of ASCII; PostgreSQL refuses one of 8,000 bytes. */
const MAX_PAYLOAD = 7_900;
/** Milliseconds for the locks of all tables; writers wait behind them. */
const LOCK_MS = 2_000;

/** The transition tables of each trigger. */
const TRIGGERS = {
  insert: "referencing new table as rows_after",
  update: "referencing old table as rows_before new table as rows_after",
  delete: "referencing old table as rows_before",
  truncate: "",
} as const;

/**
 * Creates the triggers that are missing or report less. What they report for another version of Lectern stays reported, as both
 * may run. Throws the error of the server where the account may not, or where a table stays locked.
 * @example
 * await watchTables(db, [{ table: "notes", columns: ["id"], only: undefined }]);
 */
export async function watchTables(db: Db, watched: readonly WatchedTable[]): Promise<void> {
  if ((await lacking(db, watched)).length === 0) return;
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::int8)`.execute(tx);
    await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(tx);
    for (const one of await lacking(tx, watched)) await createTriggers(tx, one);
  });
}

/**
 * The tables that servers of this store watch, and whose triggers are not all there and on: somebody changed them by hand. The bodies
 * of functions may be those of another version.
 * @example
 * await watchTables(db, await unreportedTables(db));
 */
export async function unreportedTables(db: Db): Promise<WatchedTable[]> {
  const noted = (await reporters(db)).flatMap((one): WatchedTable[] => {
    const { columns, only } = notedIn(one);
    const isWhole = one.triggers === Object.keys(TRIGGERS).length;
    return columns && !isWhole ? [{ table: one.name.slice(functionOf("").length), columns, only }] : [];
  });
  const names = noted.map(({ table }) => table);
  // The function of a table that was removed stays.
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  const there = await rows(
    db,
    sql<{ name: string }>`select relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relname = any(${names}::text[])`,
  );
  return noted.filter(({ table }) => there.some(({ name }) => name === table));
}

async function createTriggers(db: Db, watched: WatchedTable): Promise<void> {
  const { table, columns, only } = watched;
  const name = sql.id(functionOf(table));
  const noted = JSON.stringify({ columns, only } satisfies Noted);
  await sql`create or replace function ${name}() returns trigger language plpgsql as ${sql.lit(bodyOf(watched))}`.execute(
    db,
  );
  await sql`comment on function ${name}() is ${sql.lit(noted)}`.execute(db);
  for (const [event, tables] of Object.entries(TRIGGERS)) {
    const trigger = sql.id(`${functionOf(table)}_${event}`);
    await sql`drop trigger if exists ${trigger} on ${sql.id(table)}`.execute(db);
    await sql`create trigger ${trigger} after ${sql.raw(event)} on ${sql.id(table)} ${sql.raw(tables)}
      for each statement execute function ${name}()`.execute(db);
  }
}

/** What the comment of a function notes. */
type Noted = Pick<WatchedTable, "columns" | "only">;

interface PresentFunction {
  readonly name: string;
  readonly body: string;
  readonly noted: string | null;
  readonly triggers: number;
}

/** The tables whose triggers are missing or report less than wanted, with what they report already. */
async function lacking(db: Db, watched: readonly WatchedTable[]): Promise<WatchedTable[]> {
  const known = new Map((await reporters(db)).map((one) => [one.name, one]));
  return watched.flatMap((one) => {
    const present = known.get(functionOf(one.table));
    const whole = present ? joined(one, notedIn(present)) : one;
    const isThere = present?.body === bodyOf(whole) && present.triggers === Object.keys(TRIGGERS).length;
    return isThere ? [] : [whole];
  });
}

/** The functions of the triggers, of all versions. */
async function reporters(db: Db): Promise<PresentFunction[]> {
  return rows(
    db,
    sql<PresentFunction>`select p.proname as name, p.prosrc as body, obj_description(p.oid, 'pg_proc') as noted,
      (select count(*)::integer from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where t.tgfoid = p.oid and t.tgenabled in ('O', 'A') and 'lectern_changed_' || c.relname = p.proname) as triggers
      from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname like 'lectern\\_changed\\_%'`,
  );
}

function notedIn({ noted }: PresentFunction): Partial<Noted> {
  try {
    return JSON.parse(noted ?? "{}") as Partial<Noted>;
  } catch {
    return {};
  }
}

function joined({ table, columns, only }: WatchedTable, noted: Partial<Noted>): WatchedTable {
  const all = [...new Set([...columns, ...(noted.columns ?? [])])].sort();
  // A comment without columns is not of this module.
  const isWhole = !only || (noted.columns && !noted.only);
  return { table, columns: all, only: isWhole ? undefined : [...new Set([...only, ...(noted.only ?? [])])].sort() };
}

function functionOf(table: string): string {
  return `lectern_changed_${table}`;
}

/** The body of the function. Its reads may fail after a column was removed; the change is then reported as one of the table. */
function bodyOf({ table, columns, only }: WatchedTable): string {
  const whole = quotedText(JSON.stringify({ changed: table }));
  const listed = [...new Set([...columns, ...(only ?? [])])].map(quotedName).join(", ") || "1";
  const from = (name: string) => `(select ${listed} from ${name} limit ${MAX_ROWS + 1})`;
  const differing = (one: string, other: string) =>
    `(select ${listed} from ${one} except select ${listed} from ${other})`;
  const updated = only
    ? `${differing("rows_before", "rows_after")} union all ${differing("rows_after", "rows_before")}`
    : `${from("rows_before")} union all ${from("rows_after")}`;
  const values = columns.map(
    (name) => `, ${quotedText(name)}, coalesce(jsonb_agg(distinct ${quotedName(name)}), '[]')`,
  );
  const read = (source: string) =>
    `select count(*), jsonb_build_object('changed', ${quotedText(table)}${values.join("")})::text into amount, payload from (${source}) as found;`;
  return `
declare
  amount bigint;
  payload text;
begin
  begin
    if tg_op = 'INSERT' then ${read(from("rows_after"))}
    elsif tg_op = 'DELETE' then ${read(from("rows_before"))}
    elsif tg_op = 'UPDATE' then ${read(updated)}
    end if;
  exception when others then amount := null;
  end;
  if amount = 0 then return null; end if;
  if amount is null or amount > ${MAX_ROWS} or length(payload) > ${MAX_PAYLOAD} then payload := ${whole}; end if;
  perform pg_catalog.pg_notify('${CACHE_CHANNEL}', payload);
  raise info using errcode = '${CHANGE_NOTICE}', message = 'cached answers with rows of this table are forgotten', detail = payload;
  return null;
end`;
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
