import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** How long a positive answer is cached, in milliseconds. */
const CACHE_MS = 5_000;

/** Knows whether index entries written before migration 0002 are left. Once there are none, that holds until the next boot. */
export class StaleEntryCheck {
  readonly #db: Pick<Db, "executeQuery">;
  #exists = true;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Pick<Db, "executeQuery">) {
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
    const [found] = await rows<{ stale: boolean }>(
      this.#db,
      sql`select exists (select from search_index where words is null) as stale`,
    );
    this.#exists = found?.stale ?? false;
    return this.#exists;
  }
}
