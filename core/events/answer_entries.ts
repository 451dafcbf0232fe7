/**
 * The entries of the answer cache: answers by key, found by what they depend on, the least recently used first, since these are
 * removed where others need the memory.
 */
import type { KeptAnswer } from "./answer_forms.ts";
import { markKept, unmarkKept } from "./kept_marks.ts";

/** An entry; whoever holds one finds out by it whether it is still kept. */
export interface Entry {
  readonly key: string;
  /** Undefined from the moment on at which it is forgotten, or removed for others. */
  answer: KeptAnswer | undefined;
  readonly surrogateKeys: readonly string[];
  /** The approximate memory of the entry. */
  size: number;
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

  /** The entry of a key; it becomes one of the most recently used ones. */
  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry) this.touch(entry);
    return entry;
  }

  /**
   * Makes an entry that is kept one of the most recently used ones. One that became so a few reads ago stays where it is, as moving it costs
   * more than the rest of a read.
   */
  touch(entry: Entry): void {
    this.#reads += 1;
    if (this.#reads - entry.movedAt <= this.#entries.size * UNMOVED_SHARE) return;
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    entry.movedAt = this.#reads;
  }

  /** An entry that is kept has become larger; others, or itself, are removed beyond the bound. */
  grow(entry: Entry, bytes: number): void {
    if (!entry.answer) return;
    entry.size += bytes;
    this.#bytes += bytes;
    this.#removeBeyond(this.#maxBytes);
  }

  /** Sets the answer of a key, and removes others beyond the bound. One larger than the bound is not kept: undefined. */
  set(key: string, answer: KeptAnswer, surrogateKeys: readonly string[]): Entry | undefined {
    const present = this.#entries.get(key);
    if (present) this.#delete(present);
    const size = answer.size + 2 * key.length + ENTRY_BYTES + SURROGATE_KEY_BYTES * surrogateKeys.length;
    if (size > this.#maxBytes) return undefined;
    const entry: Entry = { key, answer, surrogateKeys, size, movedAt: this.#reads };
    this.#entries.set(key, entry);
    if (answer.isGiven) markKept(answer.shared);
    this.#bytes += size;
    for (const surrogateKey of surrogateKeys) {
      const entries = this.#bySurrogateKey.get(surrogateKey) ?? new Set();
      this.#bySurrogateKey.set(surrogateKey, entries.add(entry));
    }
    // Last, so that it goes with one that it is made of.
    this.#removeBeyond(this.#maxBytes);
    return entry;
  }

  /** Removes the entries with a surrogate key. Returns their number. */
  deleteWith(surrogateKey: string): number {
    const found = [...(this.#bySurrogateKey.get(surrogateKey) ?? [])];
    for (const entry of found) this.#delete(entry);
    return found.length;
  }

  /** Removes all entries. */
  clear(): void {
    for (const entry of this.#entries.values()) {
      if (entry.answer?.isGiven) unmarkKept(entry.answer.shared);
      entry.answer = undefined;
    }
    this.#entries.clear();
    this.#bySurrogateKey.clear();
    this.#bytes = 0;
  }

  #removeBeyond(bytes: number): void {
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= bytes) break;
      this.#delete(oldest);
      this.#evictions += 1;
    }
  }

  #delete(entry: Entry): void {
    // It may have gone with one that it is made of.
    if (!entry.answer) return;
    const mark = entry.answer.isGiven ? unmarkKept(entry.answer.shared) : undefined;
    entry.answer = undefined;
    this.#entries.delete(entry.key);
    this.#bytes -= entry.size;
    for (const surrogateKey of entry.surrogateKeys) {
      const entries = this.#bySurrogateKey.get(surrogateKey);
      entries?.delete(entry);
      if (entries?.size === 0) this.#bySurrogateKey.delete(surrogateKey);
    }
    if (mark) this.deleteWith(mark.name);
  }
}
