/**
 * The entries of the answer cache: answers by key, found by what they depend on, the least recently used first, since these are
 * removed where others need the memory.
 */
import type { KeptAnswer } from "./answer_forms.ts";

interface Entry {
  readonly key: string;
  readonly answer: KeptAnswer;
  readonly surrogateKeys: readonly string[];
  /** The approximate memory of the entry. */
  readonly size: number;
  /** The number of reads at which it was last made the most recently used one. */
  movedAt: number;
}

/** Approximate bytes of an entry beside its own, and of each surrogate key of it. */
const ENTRY_BYTES = 300;
const SURROGATE_KEY_BYTES = 150;
/** Reads after which an entry is moved again, as a share of the number of entries. */
const UNMOVED_SHARE = 1 / 4;

/** Entries within a bound of memory. */
export class AnswerEntries {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #bySurrogateKey = new Map<string, Set<Entry>>();
  #bytes = 0;
  #evictions = 0;
  #reads = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Approximate bytes of memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Entries that were removed for others. */
  get evictions(): number {
    return this.#evictions;
  }

  /**
   * The answer of a key; it becomes one of the most recently used ones. An entry that did so a few reads ago stays where it is, as
   * moving it costs more than the rest of a read.
   */
  get(key: string): KeptAnswer | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#reads += 1;
    if (this.#reads - entry.movedAt > this.#entries.size * UNMOVED_SHARE) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      entry.movedAt = this.#reads;
    }
    return entry.answer;
  }

  /** Sets the answer of a key, and removes others beyond the bound. One larger than the bound is not kept. */
  set(key: string, answer: KeptAnswer, surrogateKeys: readonly string[]): void {
    const present = this.#entries.get(key);
    if (present) this.#delete(present);
    const size = answer.size + 2 * key.length + ENTRY_BYTES + SURROGATE_KEY_BYTES * surrogateKeys.length;
    if (size > this.#maxBytes) return;
    for (const oldest of this.#entries.values()) {
      if (this.#bytes + size <= this.#maxBytes) break;
      this.#delete(oldest);
      this.#evictions += 1;
    }
    const entry = { key, answer, surrogateKeys, size, movedAt: this.#reads };
    this.#entries.set(key, entry);
    this.#bytes += size;
    for (const surrogateKey of surrogateKeys) {
      const entries = this.#bySurrogateKey.get(surrogateKey) ?? new Set();
      this.#bySurrogateKey.set(surrogateKey, entries.add(entry));
    }
  }

  /** Removes the entries with a surrogate key. Returns their number. */
  deleteWith(surrogateKey: string): number {
    const found = [...(this.#bySurrogateKey.get(surrogateKey) ?? [])];
    for (const entry of found) this.#delete(entry);
    return found.length;
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
    this.#bySurrogateKey.clear();
    this.#bytes = 0;
  }

  #delete(entry: Entry): void {
    this.#entries.delete(entry.key);
    this.#bytes -= entry.size;
    for (const surrogateKey of entry.surrogateKeys) {
      const entries = this.#bySurrogateKey.get(surrogateKey);
      entries?.delete(entry);
      if (entries?.size === 0) this.#bySurrogateKey.delete(surrogateKey);
    }
  }
}
