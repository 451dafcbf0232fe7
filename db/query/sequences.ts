/**
 * Sequences of columns that are behind the rows: the next rows would get ids that are taken. That happens where rows were
 * inserted with their ids by hand, or sequences were not restored.
 */
import { type RawBuilder, sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** A sequence that is behind. */
export interface LateSequence {
  readonly sequence: string;
  readonly table: string;
  readonly column: string;
  /** The next value, as text, since it may exceed the safe integers. */
  readonly next: string;
  /** The highest value of the column. */
  readonly highest: string;
}

type Owned = Pick<LateSequence, "sequence" | "table" | "column">;

/**
 * The ascending sequences of identity and serial columns whose next value is not beyond the highest of the column.
 * @example
 * const late = await lateSequences(db);
 */
export async function lateSequences(db: Db): Promise<LateSequence[]> {
  // Templates, here and below: catalogs, and the tables that they name.
  const owned = await rows(
    db,
    sql<Owned>`select s.relname as sequence, t.relname as "table", attname as "column"
      from pg_class s join pg_sequence on seqrelid = s.oid and seqincrement > 0
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
        and d.deptype in ('a', 'i')
      join pg_class t on t.oid = d.refobjid join pg_attribute on attrelid = t.oid and attnum = d.refobjsubid
      where s.relnamespace = current_schema()::regnamespace and t.relnamespace = s.relnamespace order by 1`,
  );
  const [first, ...others] = owned.map(stateOf);
  if (!first) return [];
  const all = others.reduce((union, one) => sql`${union} union all ${one}`, first);
  return rows(
    db,
    sql<LateSequence>`select sequence, "table", "column", next::text, highest::text from (${all}) as states where highest >= next`,
  );
}

/**
 * Sets a sequence to the highest value of its column; no row is inserted meanwhile.
 * @example
 * for (const late of await lateSequences(db)) await advanceSequence(db, late);
 */
export async function advanceSequence(db: Db, { sequence, table, column }: Owned): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`lock table ${sql.id(table)} in share row exclusive mode`.execute(tx);
    await sql`select setval(${quoted(sequence)}::regclass, greatest((select max(${sql.id(column)}) from ${sql.id(table)}),
      (select last_value from ${sql.id(sequence)})))`.execute(tx);
  });
}

function stateOf({ sequence, table, column }: Owned): RawBuilder<unknown> {
  return sql`select ${sql.lit(sequence)}::text as sequence, ${sql.lit(table)}::text as "table", ${sql.lit(column)}::text as "column",
    (select case when is_called then last_value + 1 else last_value end from ${sql.id(sequence)}) as next,
    (select max(${sql.id(column)})::int8 from ${sql.id(table)}) as highest`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
