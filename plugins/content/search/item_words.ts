/**
 * The words of an item as the index stores them: all of them, by which it is found, and the most frequent ones of each field, by which
 * it is ranked. What is not here: which of them a search looks for (`tsquery.ts`, `relevance/`).
 */
import { wordsIn } from "./tokenize.ts";

/** PostgreSQL's weight classes of the fields of an item, the heaviest first. */
export const WEIGHTS = { name: "A", tags: "B", headings: "C", body: "D" } as const;
/** A field of an item that has words. */
export type ItemField = keyof typeof WEIGHTS;

const FIELDS = ["name", "tags", "headings", "body"] as const satisfies readonly ItemField[];

/** Marks a second entry in the digest for each word of the name. No word starts with it. */
export const IN_NAME = "=";
/** The same for words of headings and tags. */
export const IN_HEADING = "#";

/** Maximum bytes of the words of one item, with their overhead. PostgreSQL allows 1,048,575. */
const MAX_BYTES = 900_000;
/** Bytes of an entry beside its word. */
const OVERHEAD = 8;
/** Maximum words of each field in the digest. */
const IN_DIGEST: Readonly<Record<ItemField, number>> = { name: 60, tags: 40, headings: 60, body: 60 };
/** Maximum number of positions of a word in the digest. */
const MAX_COUNT = 8;

/**
 * The words of an item in the text form of two tsvectors. `words` has all of them and is read through its index only.
 * `digest` has those that ranking uses, with weights: it is small enough to stay in the row, so that ranking thousands of
 * items reads no TOAST storage. Words beyond the limits are left out, so the most important fields have to be added first.
 */
export class ItemWords {
  readonly #words = new Set<string>();
  readonly #counts: Record<ItemField, Map<string, number>> = {
    name: new Map(),
    tags: new Map(),
    headings: new Map(),
    body: new Map(),
  };
  #bytes = 0;
  #length = 0;

  /** Adds the words of a text. */
  add(text: string, field: ItemField): this {
    const counts = this.#counts[field];
    const added = wordsIn(text);
    this.#length += added.length;
    for (const word of added) {
      if (!this.#words.has(word)) {
        const size = Buffer.byteLength(word) + OVERHEAD;
        if (this.#bytes + size > MAX_BYTES) continue;
        this.#bytes += size;
        this.#words.add(word);
      }
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    return this;
  }

  /** Number of words with repetitions: ranking compares how often a word occurs with it. */
  get length(): number {
    return this.#length;
  }

  /** Every word once, in order of its first place. */
  get each(): ReadonlySet<string> {
    return this.#words;
  }

  /** Every word once, in the text form. */
  get words(): string {
    return Array.from(this.#words, quotedWord).join(" ");
  }

  /** The most frequent words of each field, with positions and weights. */
  get digest(): string {
    let position = 0;
    const entries: string[] = [];
    for (const field of FIELDS) {
      const marker = field === "name" ? IN_NAME : IN_HEADING;
      for (const [word, count] of mostFrequent(this.#counts[field], IN_DIGEST[field])) {
        const positions = Array.from({ length: Math.min(count, MAX_COUNT) }, () => `${++position}${WEIGHTS[field]}`);
        entries.push(`${quotedWord(word)}:${positions.join(",")}`);
        if (field !== "body") entries.push(quotedWord(marker + word));
      }
    }
    return entries.join(" ");
  }
}

/** A word in the text form of a tsvector or tsquery. Words contain no quotes; joined ones may contain backslashes. */
export function quotedWord(word: string): string {
  return `'${word.includes("\\") ? word.replaceAll("\\", "\\\\") : word}'`;
}

/** The `most` most frequent words; of equally frequent ones the first. Sorts only the result, since a body has many words. */
function mostFrequent(counts: ReadonlyMap<string, number>, most: number): readonly (readonly [string, number])[] {
  if (counts.size <= most) return [...counts];
  const wordsByCount = new Map<number, number>();
  for (const count of counts.values()) wordsByCount.set(count, (wordsByCount.get(count) ?? 0) + 1);
  let least = 0;
  let room = most;
  for (const [count, words] of [...wordsByCount].sort(([a], [b]) => b - a)) {
    least = count;
    if (words >= room) break;
    room -= words;
  }
  const taken: (readonly [string, number])[] = [];
  for (const entry of counts) if (entry[1] > least || (entry[1] === least && room-- > 0)) taken.push(entry);
  return taken.sort(([, a], [, b]) => b - a);
}
