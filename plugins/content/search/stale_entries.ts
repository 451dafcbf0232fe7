import { sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

/** How long an answer is used, in milliseconds. An older version that runs beside writes entries of its own format. */
const CACHE_MS = 5_000;
/**
 * What `document` is in entries whose words include joined ones. Versions before migration 0004 leave it empty, also where they replace
 * such an entry.
 */
export const JOINED = sql<string>`'2'::tsvector`;
/**
 * SQL condition for entries without joined words, as the index search_index_unjoined has it. Of a comparison with `<>` the planner
 * expects nearly all entries, and would read the table to the end where there are none.
 */
export const UNJOINED = sql<boolean>`(case when document = ${JOINED} then true end) is null`;
/** The same for entries whose words the vocabulary may lack, as the index search_index_uncounted has it. */
export const UNCOUNTED = sql<boolean>`word_count is null`;

/** What the entries of the index have in common. */
export interface IndexState {
  /** Whether entries are left that were written before migration 0002. */
  readonly hasUnfolded: boolean;
  /** Whether the words of every entry include joined ones. */
  readonly joined: boolean;
  /** Whether there are no more entries than a search ranks. */
  readonly isSmall: boolean;
}

const findState = prepared("search.findState", (db, p: { most: number }) =>
  db.selectNoFrom((eb) => [
    eb
      .exists(eb.selectFrom("search_index").where("words", "is", null))
      .$castTo<boolean>()
      .as("hasUnfolded"),
    eb
      .not(eb.exists(eb.selectFrom("search_index").where(UNJOINED)))
      .$castTo<boolean>()
      .as("joined"),
    eb
      .not(eb.exists(eb.selectFrom("search_index").offset(sql<number>`${p.most}::bigint`).limit(sql.lit(1))))
      .$castTo<boolean>()
      .as("isSmall"),
  ]),
);

/** Knows which formats the entries of the index have, and whether they are few. */
export class IndexStateCheck {
  readonly #db: Executor;
  readonly #most: number;
  #state: IndexState = { hasUnfolded: true, joined: false, isSmall: false };
  #checkedAt = Number.NEGATIVE_INFINITY;

  /** `most` is the number of entries that a search ranks at most. */
  constructor(db: Executor, most: number) {
    this.#db = db;
    this.#most = most;
  }

  /** Discards the cached answer. */
  reset(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  /** The state as it was found last, without a question to the store. */
  get last(): IndexState {
    return this.#state;
  }

  /** The state: the cached answer, or a query. */
  async state(): Promise<IndexState> {
    if (performance.now() - this.#checkedAt < CACHE_MS) return this.#state;
    const checkedAt = performance.now();
    this.#state = (await findState.executeTakeFirst(this.#db, { most: this.#most })) ?? this.#state;
    this.#checkedAt = checkedAt;
    return this.#state;
  }
}
