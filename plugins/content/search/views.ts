import { type Log, sql, type Viewer } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";

/** How long views are collected before they are written, in milliseconds. */
const FLUSH_MS = 5_000;
/** Collected views that are written at once. */
const MAX_WAITING = 5_000;

interface View {
  readonly userId: number;
  readonly itemId: number;
  count: number;
  at: number;
}

/** Collects who opened which item and writes that in batches, so that no read waits for it. */
export class Views {
  readonly #db: Pick<Db, "executeQuery">;
  readonly #log: Log;
  readonly #timer: Timer;
  readonly #tableOf: (kind: string) => TableName | undefined;
  /** By kind, then by user and item. */
  #waiting = new Map<string, Map<string, View>>();
  #count = 0;

  constructor(db: Pick<Db, "executeQuery">, log: Log, tableOf: (kind: string) => TableName | undefined) {
    this.#db = db;
    this.#log = log;
    this.#tableOf = tableOf;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Notes that somebody opened an item, now. Guests and the system itself are nobody in particular. */
  note({ id: userId, via }: Viewer, kind: string, itemId: number): void {
    if (via === "guest" || via === "system") return;
    const views = this.#waiting.get(kind) ?? new Map<string, View>();
    this.#waiting.set(kind, views);
    const key = `${userId} ${itemId}`;
    const known = views.get(key);
    if (known) {
      known.count++;
      known.at = Date.now();
      return;
    }
    views.set(key, { userId, itemId, count: 1, at: Date.now() });
    if (++this.#count >= MAX_WAITING) void this.flush();
  }

  /** Writes what was collected. A failure is logged; these views are then forgotten. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#count = 0;
    try {
      for (const [kind, views] of waiting) await this.#write(kind, [...views.values()]);
    } catch (error) {
      this.#log.warn("Cannot write which items were viewed", { error });
    }
  }

  /** Items that are not there were asked for and not found. Rows are written in one order, so that servers do not deadlock. */
  async #write(kind: string, views: readonly View[]): Promise<void> {
    const table = this.#tableOf(kind);
    if (table === undefined) return;
    const of = <V>(value: (view: View) => V) => views.map(value);
    await rows(
      this.#db,
      sql`insert into item_views as known (user_id, kind, item_id, count, viewed_at)
        select seen.user_id, ${kind}, seen.item_id, seen.count, seen.at
        from unnest(${of(({ userId }) => userId)}::integer[], ${of(({ itemId }) => itemId)}::integer[],
            ${of(({ count }) => count)}::integer[], ${of(({ at }) => new Date(at).toISOString())}::timestamptz[])
          as seen (user_id, item_id, count, at)
        join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = seen.item_id
        order by seen.user_id, seen.item_id
        on conflict (user_id, kind, item_id) do update set
          count = least(known.count::bigint + excluded.count, 2147483647)::integer,
          viewed_at = greatest(known.viewed_at, excluded.viewed_at)`,
    );
  }

  /** Ends collecting and writes the rest. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
