/**
 * How many entries of the index have a word, as the planner of PostgreSQL knows it: the statistics of `search_index.words` list the
 * most common words with their share. A search reads all entries of a rare word, and the best ones of a common word. PostgreSQL makes
 * statistics up to a minute after many entries were written; until it has any, the words of some entries are counted here.
 */
import { MINUTE_MS, sql } from "lectern/core";
import { type Executor, rows } from "lectern/db";

/** Milliseconds for which the statistics are remembered, and for which figures of a sample are, as PostgreSQL soon knows better. */
const [KEPT_MS, SAMPLE_KEPT_MS] = [5 * MINUTE_MS, 10_000];
/** Entries of a sample, and words of it that are listed: as many as statistics list by default. */
const [SAMPLED, LISTED] = [1_000, 1_000];
/** Entries of a sample that have a common word: more than are deleted at once, mostly. */
const COMMON_IN = 20;
/** Entries of an average that is not known yet. */
const USUAL_LENGTH = 200;

/** What is known of the index. */
export interface IndexFigures {
  /** Number of entries, about. */
  readonly entries: number;
  /** Words of an entry on average. */
  readonly length: number;
  /** Words that many entries have. */
  readonly common: readonly string[];
  /**
   * Number of entries that have a word, or words that begin with it, about; that of the rarest listed word for one that is rarer, 0
   * where no entry has words.
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
  #kept: { readonly until: number; readonly figures: IndexFigures } | undefined;

  constructor(db: Executor) {
    this.#db = db;
  }

  /** The figures as they were in the last minutes. */
  async figures(): Promise<IndexFigures> {
    const now = performance.now();
    if (this.#kept && now < this.#kept.until) return this.#kept.figures;
    const known = await this.#known();
    const figures = known ? figuresOf(known) : figuresOf(await this.#sampled(), COMMON_IN);
    this.#kept = { until: now + (known ? KEPT_MS : SAMPLE_KEPT_MS), figures };
    return figures;
  }

  /** What the statistics say; undefined where there are none. */
  async #known(): Promise<Row | undefined> {
    // A template: Kysely's builder has no words for catalogs. The average is that of the first entries.
    const [row] = await rows<Row>(
      this.#db,
      sql`select greatest(pg_class.reltuples, 0)::float8 as entries,
          (select avg(word_count)::float8 from (select word_count from search_index limit ${sql.lit(SAMPLED)}) as counted) as length,
          pg_stats.most_common_elems::text::text[] as words, pg_stats.most_common_elem_freqs as shares
        from pg_class join pg_stats on pg_stats.tablename = pg_class.relname and pg_stats.attname = 'words'
          and pg_stats.schemaname = pg_class.relnamespace::regnamespace::text
        where pg_class.oid = 'search_index'::regclass and pg_stats.most_common_elems is not null`,
    );
    return row;
  }

  /** What the first entries say. */
  async #sampled(): Promise<Row> {
    // A template: the builder has no function that returns a table. Its query is a text, which takes no parameters.
    const [row] = await rows<Row>(
      this.#db,
      sql`with word as (
          select word, ndoc from ts_stat('select words from search_index limit ${sql.raw(String(SAMPLED))}')
          order by ndoc desc limit ${sql.lit(LISTED)})
        select (select count(*) from search_index)::float8 as entries,
          (select avg(word_count)::float8 from (select word_count from search_index limit ${sql.lit(SAMPLED)}) as counted) as length,
          array_agg(word.word) as words,
          array_agg(word.ndoc::float8 / (select count(*) from (select from search_index limit ${sql.lit(SAMPLED)}) as counted)) as shares
        from word`,
    );
    return row ?? { entries: 0, length: null, words: null, shares: null };
  }
}

/** `commonIn` is the number of entries of a sample that have a common word. */
function figuresOf({ entries, length, words, shares: listed }: Row, commonIn = 0): IndexFigures {
  const shares = new Map(words?.map((word, at) => [word, listed?.[at] ?? 0]));
  const least = Math.min(1, ...shares.values());
  return {
    entries,
    length: length || USUAL_LENGTH,
    common: [...shares.keys()].filter((word) => (shares.get(word) ?? 0) * Math.min(entries, SAMPLED) >= commonIn),
    entriesOf: (word, isPrefix) =>
      shares.size === 0
        ? 0
        : Math.ceil(((isPrefix ? shareBeginning(word, shares) : shares.get(word)) || least) * entries),
  };
}

/** The share of entries with words that begin so, as if none had two of them. */
function shareBeginning(start: string, shares: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, share] of shares) if (word.startsWith(start)) sum += share;
  return Math.min(1, sum);
}
