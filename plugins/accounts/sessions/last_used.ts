import { type Log, sql } from "lectern/core";
import type { Db } from "lectern/db";

/** How long touches are collected before they are written, in milliseconds. */
const FLUSH_MS = 20_000;

/** Collects when sessions were last seen and writes that in batches, so that sessions slide without a write each. */
export class LastSeenBatch {
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

  /** Notes that a session was seen; `at` in milliseconds since 1970. */
  note(id: number, at: number): void {
    this.#waiting.set(id, at);
  }

  /** Writes what was collected. A failure is logged; these touches are then forgotten. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const seen = this.#waiting;
    this.#waiting = new Map();
    const times = [...seen.values()].map((time) => new Date(time).toISOString());
    try {
      await sql`update sessions set last_seen_at = greatest(sessions.last_seen_at, seen.at)
        from unnest(${[...seen.keys()]}::integer[], ${times}::timestamptz[]) as seen (id, at)
        where sessions.id = seen.id`.execute(this.#db);
    } catch (error) {
      this.#log.warn("Cannot write when sessions were last seen", { error });
    }
  }

  /** Ends collecting and writes the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
