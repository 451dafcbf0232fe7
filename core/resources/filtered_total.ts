/**
 * Totals of filtered listings whose number of visible rows is known by counters (`VisibleRows`). A negative or wide filter
 * matches most rows: then the rows that it leaves out are counted, by the index of the field, and subtracted. The numbers of one
 * total come from one statement, so from one snapshot.
 */
import { type RawBuilder, sql } from "kysely";
import { type Db, rows } from "../../db/mod.ts";

/** What is counted. Conditions are true, false or null, which leaves a row out. */
export interface CountedRows {
  /** The table with its joins. */
  readonly from: RawBuilder<unknown>;
  /** Which rows the viewer sees, and SQL for their number. */
  readonly visible: RawBuilder<boolean>;
  readonly visibleTotal: RawBuilder<number>;
  /** The conditions of the filters. */
  readonly wanted: readonly RawBuilder<boolean>[];
  /** For each filter the rows that it leaves out. */
  readonly leftOut: readonly RawBuilder<boolean>[];
  /** Whether all filters are negative, so that they leave out few rows. */
  readonly isNegative: boolean;
}

/** Matching rows are counted where they are at most this share of the visible ones: one in so many. */
const FEW = 100;
/** The same for the rows that are left out. */
const MANY = 2;

/** The number of visible rows that match. */
export async function filteredTotal(db: Db, counted: CountedRows): Promise<number> {
  const { from, visible, visibleTotal, isNegative } = counted;
  const matching = sql`${from} where ${visible} and ${sql.join(counted.wanted, sql` and `)}`;
  const others = sql`${from} where ${visible} and (${sql.join(counted.leftOut, sql` or `)})`;
  if (isNegative) return (await first(db, sql`${visibleTotal} - (select count(*) from ${others}) as total`)) ?? 0;
  const upTo = (source: RawBuilder<unknown>, share: number) => sql`(select ${visibleTotal} as n) as seen,
    lateral (select count(*) as n from (select from ${source} limit seen.n / ${sql.lit(share)} + 1) as some_rows) as found`;
  return (
    (await first(
      db,
      sql`case when found.n <= seen.n / ${sql.lit(FEW)} then found.n end as total from ${upTo(matching, FEW)}`,
    )) ??
    (await first(
      db,
      sql`case when found.n <= seen.n / ${sql.lit(MANY)} then seen.n - found.n end as total from ${upTo(others, MANY)}`,
    )) ??
    (await first(db, sql`count(*) as total from ${matching}`)) ??
    0
  );
}

async function first(db: Db, selected: RawBuilder<unknown>): Promise<number | undefined> {
  // A template: the total is SQL that the listing has made, and the builder needs a table to select from.
  const [found] = await rows<{ total: number | null }>(db, sql`select ${selected}`);
  return found?.total ?? undefined;
}
