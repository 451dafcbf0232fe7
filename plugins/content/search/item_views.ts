import { AsyncLocalStorage } from "node:async_hooks";
import { currentRequestId, type Log, sql, type Viewer } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";

/** Interval between writes, in milliseconds. */
const FLUSH_MS = 5_000;
/** Buffered views that cause a write before the interval has passed. */
const MAX_BUFFERED = 5_000;

interface View {
  readonly userId: number;
  readonly itemId: number;
  count: number;
  at: number;
}

/** Records which users opened which items. Views are buffered and written in batches, so that no read waits for it. */
export class ItemViewRecorder {
  readonly #db: Pick<Db, "executeQuery">;
  readonly #log: Log;
  readonly #timer: Timer;
  readonly #tableOf: (kind: string) => TableName | undefined;
  /** By kind, then by user and item. */
  #buffer = new Map<string, Map<string, View>>();
  #count = 0;
  /** A write belongs to no request: the answer that is loaded by the one that fills the buffer does not depend on it. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(db: Pick<Db, "executeQuery">, log: Log, tableOf: (kind: string) => TableName | undefined) {
    this.#db = db;
    this.#log = log;
    this.#tableOf = tableOf;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Records that a user opened an item now. Guests and the system are not recorded, nor what no request asked for. */
  record({ id: userId, via }: Viewer, kind: string, itemId: number): void {
    if (via === "guest" || via === "system" || currentRequestId() === undefined) return;
    const views = this.#buffer.get(kind) ?? new Map<string, View>();
    this.#buffer.set(kind, views);
    const key = `${userId} ${itemId}`;
    const known = views.get(key);
    if (known) {
      known.count++;
      known.at = Date.now();
      return;
    }
    views.set(key, { userId, itemId, count: 1, at: Date.now() });
    if (++this.#count >= MAX_BUFFERED) this.#outside(() => void this.flush());
  }

  /** Writes the buffered views. After a failure, which is logged, they are lost. */
  async flush(): Promise<void> {
    const buffer = this.#buffer;
    this.#buffer = new Map();
    this.#count = 0;
    try {
      for (const [kind, views] of buffer) await this.#write(kind, [...views.values()]);
    } catch (error) {
      this.#log.warn("Cannot write which items were viewed", { error });
    }
  }

  /**
   * Writes the views of a kind. The join leaves out items that do not exist. Rows are written in one order, so that several
   * servers do not deadlock.
   */
  async #write(kind: string, views: readonly View[]): Promise<void> {
    const table = this.#tableOf(kind);
    if (table === undefined) return;
    const each = <V>(value: (view: View) => V) => views.map(value);
    // A template, since the table that is joined is that of a contributed kind, which the grants of this plugin do not list.
    await rows(
      this.#db,
      sql`insert into item_views as known (user_id, kind, item_id, count, viewed_at)
        select seen.user_id, ${kind}, seen.item_id, seen.count, seen.at
        from unnest(${each(({ userId }) => userId)}::integer[], ${each(({ itemId }) => itemId)}::integer[],
            ${each(({ count }) => count)}::integer[], ${each(({ at }) => new Date(at).toISOString())}::timestamptz[])
          as seen (user_id, item_id, count, at)
        join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = seen.item_id
        order by seen.user_id, seen.item_id
        on conflict (user_id, kind, item_id) do update set
          count = least(known.count::bigint + excluded.count, 2147483647)::integer,
          viewed_at = greatest(known.viewed_at, excluded.viewed_at)`,
    );
  }

  /** Stops the timer and writes the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
