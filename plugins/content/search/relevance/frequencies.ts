/**
 * How many entries of the index have a word, as the planner of PostgreSQL knows it: the statistics of `search_index.words` list the
 * most common words with their share. A search reads all entries of a rare word, and the best ones of a common word.
 */
import { MINUTE_MS, sql } from "lectern/core";
import { type Executor, rows } from "lectern/db";

/** Milliseconds for which the statistics are remembered. */
const KEPT_MS = 5 * MINUTE_MS;
/** Entries of an average that is not known yet. */
const USUAL_LENGTH = 200;

/** What is known of the index. */
export interface IndexFigures {
  /** Number of entries, about. */
  readonly entries: number;
  /** Words of an entry on average. */
  readonly length: number;
  /** The most common words. */
  readonly common: readonly string[];
  /**
   * Number of entries that have a word, or words that begin with it, about; that of the rarest listed word for one that is rarer, 0
   * without statistics.
   */
  entriesOf(word: string, isPrefix: boolean): number;
}

interface Row {
  readonly entries: number;
  readonly length: number | null;
  readonly words: readonly string[] | null;
  readonly shares: readonly number[] | null;
}

/** Reads and remembers the figures of the index. */
export class Frequencies {
  readonly #db: Executor;
  #kept: { readonly at: number; readonly figures: IndexFigures } | undefined;

  constructor(db: Executor) {
    this.#db = db;
  }

  /** The figures as they were in the last minutes. */
  async figures(): Promise<IndexFigures> {
    if (this.#kept && performance.now() - this.#kept.at < KEPT_MS) return this.#kept.figures;
    const at = performance.now();
    const figures = await this.#read();
    this.#kept = { at, figures };
    return figures;
  }

  async #read(): Promise<IndexFigures> {
    // A template: Kysely's builder has no words for catalogs. The average is that of the first entries.
    const [row] = await rows<Row>(
      this.#db,
      sql`select greatest(pg_class.reltuples, 0)::float8 as entries,
          (select avg(word_count)::float8 from (select word_count from search_index limit 1000) as counted) as length,
          pg_stats.most_common_elems::text::text[] as words, pg_stats.most_common_elem_freqs as shares
        from pg_class left join pg_stats on pg_stats.tablename = pg_class.relname and pg_stats.attname = 'words'
          and pg_stats.schemaname = pg_class.relnamespace::regnamespace::text
        where pg_class.oid = 'search_index'::regclass`,
    );
    const entries = row?.entries ?? 0;
    const shares = new Map(row?.words?.map((word, at) => [word, row.shares?.[at] ?? 0]));
    const least = Math.min(1, ...shares.values());
    return {
      entries,
      length: row?.length || USUAL_LENGTH,
      common: [...shares.keys()],
      entriesOf: (word, isPrefix) =>
        shares.size === 0
          ? 0
          : Math.ceil(((isPrefix ? shareBeginning(word, shares) : shares.get(word)) || least) * entries),
    };
  }
}

/** The share of entries with words that begin so, as if none had two of them. */
function shareBeginning(start: string, shares: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, share] of shares) if (word.startsWith(start)) sum += share;
  return Math.min(1, sum);
}
