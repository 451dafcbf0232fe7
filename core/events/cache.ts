/**
 * Values cached between requests, such as the user of a token. The commit that changes a value drops it: at once in this
 * process, by a notification in the others. While the connection for notifications is lost nothing is cached, and while it is
 * silent nothing is used for longer than a second (`notice_age.ts`).
 */
import { sql } from "kysely";
import {
  CACHE_CHANNEL,
  changeOf,
  changesAccess,
  isWithinTransaction,
  onPrimary,
  prepared,
  type Store,
} from "../../db/mod.ts";
import type { AnswerCache } from "./answer_cache.ts";
import type { EventTransaction } from "./event_bus.ts";
import type { NoticeAge } from "./notice_age.ts";
import { rootOf } from "./root_transaction.ts";

/** A named cache, filled by its `load` on demand. */
export interface Cached<V> {
  /** The value of a key; a promise only where it has to be loaded. */
  get(key: string): V | Promise<V>;
  /** Drops one key, or all of them, in every process when the transaction commits. */
  forget(tx: EventTransaction, key?: string): Promise<void>;
}

/** What a plugin says of a cache. */
export interface CacheOptions {
  /** Called in each process after values were dropped, such as to load again what has to be there at once. */
  readonly onDrop?: () => void;
}

const MAX_ENTRIES = 10_000;

const notify = prepared("caches.notify", (db, p: { drop: string }) =>
  db.selectNoFrom(sql`pg_notify(${sql.lit(CACHE_CHANNEL)}, ${p.drop})`.as("notified")),
);

/** The caches of one runtime. */
export class Caches {
  readonly #drops = new Map<string, (key: string | undefined) => void>();
  readonly #answers: AnswerCache;
  readonly #notices: NoticeAge;
  #listening = false;

  constructor(answers: AnswerCache, notices: NoticeAge) {
    this.#answers = answers;
    this.#notices = notices;
  }

  /** Starts to drop what other processes change. Resolves to a stop. */
  async listen(store: Store): Promise<() => Promise<void>> {
    // Whoever may run a statement may notify, so a payload is not trusted: it only ever makes caches forget.
    const drop = (payload: string) => {
      const found = parsed(payload);
      const change = changeOf(found);
      if (change) return this.#answers.changed(change);
      const forgotten = droppedOf(found);
      if (forgotten) this.#drops.get(forgotten.name)?.(forgotten.key);
    };
    const listening = (isListening: boolean) => {
      this.#listening = isListening;
      this.#answers.setListening(isListening);
    };
    const dropAll = () => {
      for (const forget of this.#drops.values()) forget(undefined);
    };
    const stop = await store.listen(CACHE_CHANNEL, {
      onNotify: drop,
      onLoss: () => {
        listening(false);
        dropAll();
      },
      onReturn: () => {
        dropAll();
        this.#listening = true;
        void this.#answers.returned();
      },
    });
    const stopBeats = await this.#notices.listen(store);
    listening(true);
    return async () => {
      listening(false);
      await stopBeats();
      await stop();
    };
  }

  /** Makes a cache; `name` is unique in the runtime. */
  make<V>(name: string, load: (key: string) => Promise<V>, { onDrop }: CacheOptions = {}): Cached<V> {
    if (this.#drops.has(name)) throw new Error(`Cannot make the cache "${name}": this name is taken`);
    const entries = new Map<string, { readonly value: V; readonly since: number }>();
    let generation = 0;
    const drop = (key: string | undefined) => {
      generation += 1;
      if (key === undefined) entries.clear();
      else entries.delete(key);
      onDrop?.();
    };
    this.#drops.set(name, drop);
    const fill = async (key: string): Promise<V> => {
      const [started, since] = [generation, performance.now()];
      // A replica may be behind what was forgotten just now.
      const value = await onPrimary(() => load(key));
      if (generation === started && this.#listening) {
        if (entries.size >= MAX_ENTRIES) entries.clear();
        entries.set(key, { value, since });
      }
      return value;
    };
    return {
      get: (key) => {
        // The open transaction may have changed the value, and may be rolled back.
        if (isWithinTransaction()) return load(key);
        const entry = entries.get(key);
        return entry && this.#notices.allows(entry.since) ? entry.value : fill(key);
      },
      async forget(tx, key) {
        tx.afterCommit(() => drop(key));
        const { db } = rootOf(tx);
        // What is cached was read from the primary; it and rows of a replica must be of one history.
        await changesAccess(db);
        await notify.write(db, { drop: JSON.stringify({ name, key }) });
      },
    };
  }
}

/** What a payload names; undefined for one that no cache has sent. */
function droppedOf(found: unknown): { readonly name: string; readonly key: string | undefined } | undefined {
  if (typeof found !== "object" || found === null || !("name" in found)) return undefined;
  const key = "key" in found && typeof found.key === "string" ? found.key : undefined;
  return { name: String(found.name), key };
}

/** The value of a payload; undefined for one that is no JSON. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
