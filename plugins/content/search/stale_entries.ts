import { type Executor, prepared } from "lectern/db";

/** How long a positive answer is cached, in milliseconds. */
const CACHE_MS = 5_000;

const anyStale = prepared("search.anyStale", (db, _p: Record<never, never>) =>
  db.selectNoFrom((eb) =>
    eb
      .exists(eb.selectFrom("search_index").where("words", "is", null))
      .$castTo<boolean>()
      .as("stale"),
  ),
);

/** Knows whether index entries written before migration 0002 are left. Once there are none, that holds until the next boot. */
export class StaleEntryCheck {
  readonly #db: Executor;
  #exists = true;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Executor) {
    this.#db = db;
  }

  /** Discards the cached answer. */
  reset(): void {
    this.#exists = true;
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether there are such entries: the cached answer, or a query. */
  async exists(): Promise<boolean> {
    if (!this.#exists || performance.now() - this.#checkedAt < CACHE_MS) return this.#exists;
    this.#checkedAt = performance.now();
    const found = await anyStale.executeTakeFirst(this.#db, {});
    this.#exists = found?.stale ?? false;
    return this.#exists;
  }
}
