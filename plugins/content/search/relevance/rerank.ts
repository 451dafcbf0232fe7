/**
 * Ranks the first candidates closely, by BM25F: a word counts the more the rarer it is, the higher the field (name, headings, tags,
 * body), the more often it occurs and the shorter the text; and words that stand near each other count more. Their texts are read for
 * it, of which the words of the search are looked for alone.
 */
import { quotedWord } from "../item_words.ts";
import { normalizeText } from "../normalize_text.ts";
import type { Candidate } from "./candidates.ts";
import { type Occurrence, occurrencesIn } from "./occurrences.ts";
import type { Term } from "./terms.ts";

/** Weights of the fields; what is in the body besides counts 1. */
const FIELDS = { A: 8, B: 2, C: 2, D: 1 } as const;
/** How much the length of the body counts against it, from 0 to 1. */
const BY_LENGTH = 0.75;
/** Weighted occurrences at which a term has half of its effect. */
const HALF = 1.2;
/** What the nearness of two words adds, beside the rarer one's weight. */
const NEAR = 0.4;
/** Characters between the starts of two words that count as near: about eight words. */
const MAX_APART = 60;
/** Characters of a word on average, with its blank. */
const OF_WORD = 6.5;
/** What the presence of a term counts by itself, so that long texts with a rare word are not last. */
const PRESENT = 0.5;

/** The texts of a candidate. */
export interface CandidateText {
  readonly name: string;
  readonly body: string;
}

/** What the terms of a search weigh. */
export interface Weighing {
  readonly terms: readonly Term[];
  /** By term: how rare it is. */
  readonly inverse: readonly number[];
  /** Words of an entry on average. */
  readonly length: number;
  /** The whole search in its normal form. */
  readonly typed: string;
}

/** How rare a term is that so many of the entries have. */
export function inverseOf(having: number, entries: number): number {
  return Math.log(1 + (Math.max(entries, having) - having + 0.5) / (having + 0.5));
}

/** The score of a candidate, and the words of corrected terms that it has. */
export function closeScore(
  { digest = "", words, has }: Pick<Candidate, "digest" | "words" | "has">,
  { name, body }: CandidateText,
  weighing: Weighing,
): { readonly score: number; readonly met: ReadonlyMap<number, string> } {
  const { terms, inverse, length, typed } = weighing;
  const shorter = 1 - BY_LENGTH + (BY_LENGTH * words) / length;
  const normalName = normalizeText(name);
  const inBody = occurrencesIn(normalizeText(body), terms);
  const inName = occurrencesIn(normalName, terms);
  const met = new Map<number, string>();
  let score = 0;
  for (const [at, term] of terms.entries()) {
    let found = 0;
    for (const alternative of term.alternatives) {
      const { A, B, C, D } = listed(digest, alternative.word);
      const inText = Math.max(D, inBody.filter(({ of }) => of === alternative).length);
      if (A + B + C + inText > 0 && !met.has(at)) met.set(at, alternative.word);
      found += alternative.weight * (FIELDS.A * A + FIELDS.B * B + FIELDS.C * C + (FIELDS.D * inText) / shorter);
    }
    // Only a part of the item has the term.
    if (found === 0 && (has & (1 << at)) !== 0) score += (inverse[at] ?? 0) * PRESENT;
    if (found > 0) score += (inverse[at] ?? 0) * ((found * (HALF + 1)) / (found + HALF) + PRESENT);
  }
  const near = Math.max(nearness(inBody, inverse), nearness(inName, inverse));
  return { score: score + NEAR * near + (normalName === typed ? 1_000 : 0), met };
}

/** How often the digest lists a word, by weight. */
function listed(digest: string, word: string): Record<"A" | "B" | "C" | "D", number> {
  const counts = { A: 0, B: 0, C: 0, D: 0 };
  const entry = `${quotedWord(word)}:`;
  const start = digest.startsWith(entry) ? 0 : digest.indexOf(` ${entry}`) + 1;
  if (start === 0 && !digest.startsWith(entry)) return counts;
  const from = start + entry.length;
  const end = digest.indexOf(" ", from);
  for (const position of digest.slice(from, end < 0 ? undefined : end).split(",")) {
    const last = position.at(-1);
    counts[last === "A" || last === "B" || last === "C" ? last : "D"] += 1;
  }
  return counts;
}

/** The sum over pairs of terms of how near they come to each other. */
function nearness(occurrences: readonly Occurrence[], inverse: readonly number[]): number {
  const last: (number | undefined)[] = inverse.map(() => undefined);
  const best = new Map<number, number>();
  for (const { term, start: at } of occurrences) {
    for (const [other, seen] of last.entries()) {
      if (other === term || seen === undefined || at - seen > MAX_APART) continue;
      const pair = Math.min(term, other) * inverse.length + Math.max(term, other);
      const weight = Math.min(inverse[term] ?? 0, inverse[other] ?? 0) / Math.max(1, (at - seen) / OF_WORD);
      if ((best.get(pair) ?? 0) < weight) best.set(pair, weight);
    }
    last[term] = at;
  }
  return [...best.values()].reduce((sum, one) => sum + one, 0);
}
