/** Keys that an `ExpiringMap` holds by default: some 30 MB. */
export const MAX_KEYS = 200_000;

/**
 * Values by key, each valid until its own `endsAt`, at most `lifetimeMs` after it was set. Every operation takes constant
 * time: entries are in two generations, and `lifetimeMs` after the newer one began, all entries of the older one have expired
 * and it is dropped as a whole. When half of `maxKeys` are in the newer generation a new one begins early, which drops the
 * least recently used entries: there are never more than `maxKeys`.
 * @example
 * const codes = new ExpiringMap<{ userId: number; endsAt: number }>(600_000);
 * codes.set("X7Q2", { userId: viewer.id, endsAt: Date.now() + 600_000 });
 * const userId = codes.get("X7Q2")?.userId;
 */
export class ExpiringMap<V extends { readonly endsAt: number }> {
  readonly #lifetimeMs: number;
  readonly #maxPerGeneration: number;
  readonly #now: () => number;
  #current = new Map<string, V>();
  #previous = new Map<string, V>();
  #begunAt: number;

  constructor(lifetimeMs: number, maxKeys: number = MAX_KEYS, now: () => number = Date.now) {
    this.#lifetimeMs = lifetimeMs;
    this.#maxPerGeneration = Math.max(1, Math.floor(maxKeys / 2));
    this.#now = now;
    this.#begunAt = now();
  }

  /** The number of entries, with expired ones that are not dropped yet. */
  get size(): number {
    return this.#current.size + this.#previous.size;
  }

  /** The value of a key; undefined if there is none or it has expired. */
  get(key: string): V | undefined {
    const newer = this.#current.get(key);
    const value = newer ?? this.#previous.get(key);
    if (value === undefined || value.endsAt <= this.#now()) return undefined;
    // Moved to the newer generation, so that it outlives keys that are used once.
    if (newer === undefined) this.set(key, value);
    return value;
  }

  /** Sets the value of a key. */
  set(key: string, value: V): void {
    const at = this.#now();
    if (at >= this.#begunAt + this.#lifetimeMs || this.#current.size >= this.#maxPerGeneration) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#begunAt = at;
    }
    this.#previous.delete(key);
    this.#current.set(key, value);
  }
}
