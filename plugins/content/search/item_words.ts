import { wordsIn } from "./words.ts";

/** Where a word stands in an item, the heaviest first, as PostgreSQL's classes of weight. */
export const WEIGHTS = { name: "A", tags: "B", headings: "C", body: "D" } as const;
/** Where words stand. */
export type Part = keyof typeof WEIGHTS;

/** Signs before further entries of the digest, which no word begins with: words of names, and of headings and tags. */
export const IN_NAME = "=";
/** See `IN_NAME`. */
export const IN_HEADING = "#";

/** Bytes of the words of one item, each with its overhead. PostgreSQL allows 1,048,575. */
const MAX_BYTES = 900_000;
/** Bytes that an entry takes beside its word. */
const OVERHEAD = 8;
/** Words of each part that the digest holds. */
const IN_DIGEST: Readonly<Record<Part, number>> = { name: 60, tags: 40, headings: 60, body: 60 };
/** Times that a word is counted in the digest. */
const MAX_COUNT = 8;

/**
 * The words of an item in the text form of two tsvectors. `words` holds them all and is only ever looked into by its
 * index. `digest` holds those that decide about rank, with weights: it is small enough to stay in the row, so that
 * ranking thousands of items reads no other storage. What passes the limits is left out: begin with what matters most.
 */
export class ItemWords {
  readonly #words = new Set<string>();
  readonly #counts: Record<Part, Map<string, number>> = {
    name: new Map(),
    tags: new Map(),
    headings: new Map(),
    body: new Map(),
  };
  #bytes = 0;

  /** Adds the words of a text. */
  add(text: string, part: Part): this {
    const counts = this.#counts[part];
    for (const word of wordsIn(text)) {
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

  /** Every word once. Words hold no quote and no backslash, so nothing needs escaping. */
  get words(): string {
    return [...this.#words].map((word) => `'${word}'`).join(" ");
  }

  /** The words of names, tags and headings and the most frequent ones of the body, with weights. */
  get digest(): string {
    let position = 0;
    const entries: string[] = [];
    for (const part of Object.keys(WEIGHTS) as Part[]) {
      const sign = part === "name" ? IN_NAME : IN_HEADING;
      for (const [word, count] of mostFrequent(this.#counts[part], IN_DIGEST[part])) {
        const places = Array.from({ length: Math.min(count, MAX_COUNT) }, () => `${++position}${WEIGHTS[part]}`);
        entries.push(`'${word}':${places.join(",")}`);
        if (part !== "body") entries.push(`'${sign}${word}'`);
      }
    }
    return entries.join(" ");
  }
}

/** The words that occur most often; of equal ones those that came first. Only those that are taken are put in order. */
function mostFrequent(counts: ReadonlyMap<string, number>, most: number): readonly (readonly [string, number])[] {
  if (counts.size <= most) return [...counts];
  const words = new Map<number, number>();
  for (const count of counts.values()) words.set(count, (words.get(count) ?? 0) + 1);
  let least = 0;
  let room = most;
  for (const [count, having] of [...words].sort(([a], [b]) => b - a)) {
    least = count;
    if (having >= room) break;
    room -= having;
  }
  const taken: (readonly [string, number])[] = [];
  for (const entry of counts) if (entry[1] > least || (entry[1] === least && room-- > 0)) taken.push(entry);
  return taken.sort(([, a], [, b]) => b - a);
}
