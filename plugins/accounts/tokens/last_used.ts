import { type Log, sql } from "lectern/core";
import type { Db } from "lectern/db";

/** How long uses are collected before they are written, in milliseconds. */
const FLUSH_MS = 30_000;

/** Collects when tokens were last used and writes that in batches, so that requests do not wait for it. */
export class LastUsedBatch {
  readonly #db: Db;
  readonly #log: Log;
  readonly #timer: Timer;
  #waiting = new Map<number, number>();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Notes a use, now. */
  note(id: number): void {
    this.#waiting.set(id, Date.now());
  }

  /** Writes what was collected. A failure is logged; these uses are then forgotten. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const lastUsed = this.#waiting;
    this.#waiting = new Map();
    const times = [...lastUsed.values()].map((time) => new Date(time).toISOString());
    try {
      await sql`update api_tokens set last_used_at = greatest(api_tokens.last_used_at, used.at)
        from unnest(${[...lastUsed.keys()]}::integer[], ${times}::timestamptz[]) as used (id, at)
        where api_tokens.id = used.id`.execute(this.#db);
    } catch (error) {
      this.#log.warn("Cannot write when tokens were last used", { error });
    }
  }

  /** Ends collecting and writes the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
