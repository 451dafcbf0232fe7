/**
 * Rate limits that the workers of one server count together, in memory that they share: a file that each maps. A window is one
 * word of 64 bits, the time at which it ends and the count, which is replaced by compare-and-swap. So no worker waits for
 * another, and one that is killed leaves nothing locked. Keys are hashed into rows of a few slots; where all of a row are
 * taken, the window that ends first is dropped.
 */
import { closeSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { SECOND_MS } from "../std/time.ts";
import { type Allowance, allowance } from "./rate_limit.ts";

/** Slots of a row; a key has its slot in one row. */
const ROW_SLOTS = 8;
/** Words of a slot: the hash of its key, and its window. */
const SLOT_WORDS = 2;
const WORD_BYTES = 8;
/** Windows end at multiples of this time, so that the end leaves room for the count. */
const STEP_MS = 100;
const COUNT_BITS = 28n;
const MAX_COUNT = (1n << COUNT_BITS) - 1n;
/** Room for twice the keys, so that few rows are full. */
const SPARE = 2;

/** Where the counts are, and what is counted. */
export interface SharedLimiterOptions {
  /** A folder of this server's workers alone. */
  readonly folder: string;
  /** The name of the limit; limiters of one name count together. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** Keys that are counted at least. */
  readonly maxKeys: number;
  readonly now?: () => number;
}

/** A limiter whose counts are shared by all processes that open it in the same folder. */
export function sharedLimiter({ folder, name, limit, windowMs, maxKeys, now = Date.now }: SharedLimiterOptions) {
  const rows = 2 ** Math.ceil(Math.log2((maxKeys * SPARE) / ROW_SLOTS));
  const words = mapped(join(folder, Bun.hash(name).toString(16)), rows * ROW_SLOTS * SLOT_WORDS);
  // The folder has a random name, so nobody can choose keys that share a row.
  const seed = Bun.hash(folder) as bigint;
  return {
    take(key: string, amount = 1): Allowance {
      const hash = Bun.hash(key, seed) as bigint;
      const row = Number(hash % BigInt(rows)) * ROW_SLOTS * SLOT_WORDS;
      const tag = BigInt.asIntN(64, hash) || 1n;
      const at = now();
      const { count, endsAt } = counted(words, slotOf(words, row, tag), { at, windowMs, amount });
      return allowance(limit, count, endsAt / SECOND_MS);
    },
  };
}

/** Maps a file of that many words, which is made if it is not there. */
function mapped(path: string, words: number): BigInt64Array {
  const file = openSync(path, "a", 0o600);
  try {
    if (fstatSync(file).size < words * WORD_BYTES) ftruncateSync(file, words * WORD_BYTES);
  } finally {
    closeSync(file);
  }
  const bytes = Bun.mmap(path, { shared: true });
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, words);
}

/** The index of the window of a tag within its row; takes a slot if the tag has none. */
function slotOf(words: BigInt64Array, row: number, tag: bigint): number {
  for (;;) {
    let first = row;
    let firstEnd: bigint | undefined;
    for (let slot = row; slot < row + ROW_SLOTS * SLOT_WORDS; slot += SLOT_WORDS) {
      const found = Atomics.load(words, slot);
      if (found === tag) return slot + 1;
      const end = found === 0n ? -1n : Atomics.load(words, slot + 1) >> COUNT_BITS;
      if (firstEnd === undefined || end < firstEnd) [first, firstEnd] = [slot, end];
    }
    const former = Atomics.load(words, first);
    const window = Atomics.load(words, first + 1);
    // Another process may take the slot at this moment; then all are looked at again.
    if (Atomics.compareExchange(words, first, former, tag) !== former) continue;
    Atomics.compareExchange(words, first + 1, window, 0n);
    return first + 1;
  }
}

/** Counts an amount in a window, or opens the next. */
function counted(
  words: BigInt64Array,
  index: number,
  { at, windowMs, amount }: { at: number; windowMs: number; amount: number },
) {
  for (;;) {
    const found = Atomics.load(words, index);
    const foundEnd = Number(found >> COUNT_BITS);
    const isOpen = foundEnd * STEP_MS > at;
    const end = isOpen ? foundEnd : Math.ceil((at + windowMs) / STEP_MS);
    const before = isOpen ? found & MAX_COUNT : 0n;
    const sum = before + BigInt(amount);
    const count = sum < MAX_COUNT ? sum : MAX_COUNT;
    const next = (BigInt(end) << COUNT_BITS) | count;
    if (Atomics.compareExchange(words, index, found, next) === found)
      return { count: Number(count), endsAt: end * STEP_MS };
  }
}
