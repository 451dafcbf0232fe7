import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** How long it is taken for true that entries are left, in milliseconds. */
const TRUE_FOR_MS = 5_000;

/** Whether entries of the first form are left. Once there are none that stays so, until the next boot. */
export class Staleness {
  readonly #db: Pick<Db, "executeQuery">;
  #isStale = true;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Pick<Db, "executeQuery">) {
    this.#db = db;
  }

  /** Looks again at the next question. */
  forget(): void {
    this.#isStale = true;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** Answers from what is known, or looks. */
  async ask(): Promise<boolean> {
    if (!this.#isStale || performance.now() - this.#askedAt < TRUE_FOR_MS) return this.#isStale;
    this.#askedAt = performance.now();
    const [found] = await rows<{ stale: boolean }>(
      this.#db,
      sql`select exists (select from search_index where words is null) as stale`,
    );
    this.#isStale = found?.stale ?? false;
    return this.#isStale;
  }
}
