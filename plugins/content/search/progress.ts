/** How far the jobs that index items are, for the log and the command `search status`. */
import { type Log, type RawBuilder, SECOND_MS, sql } from "lectern/core";
import { type Executor, rows } from "lectern/db";
import type { SearchedKind } from "./contract.ts";
import { JOINED, UNCOUNTED } from "./stale_entries.ts";

/** Between two lines of the log about one kind. */
const TOLD_MS = 10 * SECOND_MS;

/** How many items of a kind the index has. */
export interface Progress {
  readonly kind: string;
  readonly items: number;
  /** Items with a current entry, or, where every item is indexed again, those that were. */
  readonly indexed: number;
  /** Whether every item is indexed again, as by `search reindex` or for an engine that was just chosen. */
  readonly isAgain: boolean;
}

/** The progress of a kind over the table of jobs. With an `engine` of a plugin it is that of sending items to it. */
export async function progressOf(
  { kind: { kind, table } }: SearchedKind,
  db: Executor,
  engine?: string,
): Promise<Progress> {
  const job = engine === undefined ? "search_index" : "search_engine_fill";
  const current =
    engine === undefined
      ? sql`(${currentEntries(kind)})`
      : sql`case when exists (select from search_engine_state where search_engine_state.kind = ${kind}::text
          and search_engine_state.engine = ${engine}::text) then (select count(*) from ${sql.table(table)}) else 0 end`;
  // A template: the table is that of a contributed kind, which the types of the builder do not know.
  const [found] = await rows<{ items: number; indexed: number; again: boolean }>(
    db,
    sql`select (select count(*) from ${sql.table(table)})::float8 as items, job.after is not null as again,
        (case when job.after is null then ${current} else (select count(*) from ${sql.table(table)} where id <= job.after) end)::float8 as indexed
      from (select (select min((jobs.payload ->> 'after')::integer) from jobs where jobs.name = ${job}::text and not jobs.dead
        and jobs.payload ->> 'kind' = ${kind}::text
        and (${engine !== undefined}::boolean or jobs.payload ->> 'all' = 'true')) as after) as job`,
  );
  return { kind, items: found?.items ?? 0, indexed: found?.indexed ?? 0, isAgain: found?.again ?? false };
}

/** Says in the log how far the indexing of a kind is, now and then, and at its end. */
export class ProgressLog {
  readonly #log: Log;
  readonly #db: Executor;
  readonly #toldAt = new Map<string, number>();

  constructor(log: Log, db: Executor) {
    this.#log = log;
    this.#db = db;
  }

  /** After a run of a job that ended at the item `after`; undefined at the end. `all` is whether every item is indexed again. */
  async tell(searched: SearchedKind, { after, all }: { after: number | undefined; all: boolean }): Promise<void> {
    const { kind, table } = searched.kind;
    const last = this.#toldAt.get(kind);
    const now = performance.now();
    if (after !== undefined && last !== undefined && now - last < TOLD_MS) return;
    this.#toldAt.set(kind, now);
    if (after === undefined) this.#toldAt.delete(kind);
    const upTo = all && after !== undefined ? sql`where id <= ${after}::integer` : sql``;
    const current = all ? sql`select count(*) from ${sql.table(table)} ${upTo}` : currentEntries(kind);
    // A template, for the same reason.
    const [found] = await rows<{ indexed: number; of: number }>(
      this.#db,
      sql`select (${current})::float8 as indexed, (select count(*) from ${sql.table(table)})::float8 as of`,
    );
    this.#log.info("Indexing items for the search", { kind, ...found });
  }
}

/** SQL for the number of current entries of a kind. */
function currentEntries(kind: string): RawBuilder<unknown> {
  return sql`select count(*) from search_index where search_index.kind = ${kind}::text and search_index.document = ${JOINED}
    and not ${UNCOUNTED}`;
}
