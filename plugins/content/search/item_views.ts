/**
 * The record of which users opened which items: how often, and when last. Views are buffered and written in batches, so that no read waits
 * for it; who asks for a user's own views has the buffer written first. After a crash the views of some seconds are missing.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { currentRequestId, type Log, sql, type Viewer } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";

/** Interval between writes, in milliseconds. */
const FLUSH_MS = 5_000;
/** Buffered views that cause a write before the interval has passed. */
const MAX_BUFFERED = 5_000;

/** Kinds that contain others come before these; those of plugins before all. */
const DEPTH = ["bookshelf", "book", "chapter", "page"];

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
  /** By the request and its user. */
  readonly #opened = new Map<string, View & { readonly kind: string }>();
  /** By kind, then by user and item. */
  #buffer = new Map<string, Map<string, View>>();
  /** Those with views in the buffer. */
  readonly #users = new Set<number>();
  #writing: Promise<void> = Promise.resolve();
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

  /**
   * Records that a user opened an item now. Guests and the system are not recorded, nor what no request asked for. Of what one request
   * reads, the innermost item was opened: the screen of a page reads its book, too.
   */
  record({ id: userId, via }: Viewer, kind: string, itemId: number): void {
    const request = currentRequestId();
    if (via === "guest" || via === "system" || request === undefined) return;
    // Clients may name their requests, each its own.
    const asked = `${request} ${userId}`;
    const known = this.#opened.get(asked);
    if (known && DEPTH.indexOf(known.kind) >= DEPTH.indexOf(kind)) return;
    this.#opened.set(asked, { kind, userId, itemId, count: 1, at: Date.now() });
    this.#users.add(userId);
    if (this.#opened.size >= MAX_BUFFERED) this.#collect();
  }

  /** Takes what requests have opened to the buffer. */
  #collect(): void {
    for (const { kind, ...view } of this.#opened.values()) this.#add(kind, view);
    this.#opened.clear();
    if (this.#count >= MAX_BUFFERED) this.#outside(() => void this.flush());
  }

  #add(kind: string, view: View): void {
    const views = this.#buffer.get(kind) ?? new Map<string, View>();
    this.#buffer.set(kind, views);
    const key = `${view.userId} ${view.itemId}`;
    const known = views.get(key);
    if (known) {
      known.count++;
      known.at = view.at;
      return;
    }
    views.set(key, view);
    this.#count++;
  }

  /** Resolves once the views of a user that were recorded here are stored. */
  async stored({ id }: Viewer): Promise<void> {
    await this.#writing;
    if (this.#users.has(id)) await this.flush();
  }

  /** Writes the buffered views. After a failure, which is logged, they are lost. */
  flush(): Promise<void> {
    this.#collect();
    const buffer = this.#buffer;
    this.#buffer = new Map();
    this.#users.clear();
    this.#count = 0;
    // One after the other: whoever waits for the last write has waited for all.
    this.#writing = this.#writing.then(() => this.#writeAll(buffer));
    return this.#writing;
  }

  async #writeAll(buffer: ReadonlyMap<string, ReadonlyMap<string, View>>): Promise<void> {
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
