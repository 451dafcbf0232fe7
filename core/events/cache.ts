/**
 * Values worth remembering between requests, such as who a token belongs to. A value is forgotten at the commit that
 * changes it: at once in this process, and by a notification through the store in every other one. While that line of
 * notifications is down nothing is remembered at all, so a lost connection costs speed and never truth.
 */
import { sql } from "kysely";
import { type Store, write } from "../../db/mod.ts";
import type { EventTransaction } from "./event_bus.ts";

/** A named set of remembered values, filled by `load` on demand. */
export interface Cached<V> {
  /** The value of a key; a promise only when it has to be loaded. */
  get(key: string): V | Promise<V>;
  /** Forgets one key, or all of them, when the transaction commits. */
  forget(tx: EventTransaction, key?: string): Promise<void>;
}

const CHANNEL = "lectern_cache";
const MAX_ENTRIES = 10_000;

/** The caches of one runtime. */
export class Caches {
  readonly #drops = new Map<string, (key: string | undefined) => void>();
  #listening = false;

  /** Starts listening for what other processes forget. */
  async listen(store: Store): Promise<() => Promise<void>> {
    const drop = (payload: string) => {
      const { name, key } = JSON.parse(payload) as { name: string; key?: string };
      this.#drops.get(name)?.(key);
    };
    const dropAll = () => {
      for (const forget of this.#drops.values()) forget(undefined);
    };
    const stop = await store.listen(CHANNEL, {
      onNotify: drop,
      onLoss: () => {
        this.#listening = false;
        dropAll();
      },
      onReturn: () => {
        dropAll();
        this.#listening = true;
      },
    });
    this.#listening = true;
    return async () => {
      this.#listening = false;
      await stop();
    };
  }

  /** Makes a cache; `name` is unique in the runtime. */
  make<V>(name: string, load: (key: string) => Promise<V>): Cached<V> {
    if (this.#drops.has(name)) throw new Error(`Cannot make the cache "${name}": there is one already`);
    const entries = new Map<string, V>();
    let generation = 0;
    const drop = (key: string | undefined) => {
      generation += 1;
      if (key === undefined) entries.clear();
      else entries.delete(key);
    };
    this.#drops.set(name, drop);
    const fill = async (key: string): Promise<V> => {
      const started = generation;
      const value = await load(key);
      if (generation === started && this.#listening) {
        if (entries.size >= MAX_ENTRIES) entries.clear();
        entries.set(key, value);
      }
      return value;
    };
    return {
      get: (key) => (entries.has(key) ? (entries.get(key) as V) : fill(key)),
      async forget(tx, key) {
        tx.afterCommit(() => drop(key));
        await write(tx.db, sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ name, key })})`);
      },
    };
  }
}
