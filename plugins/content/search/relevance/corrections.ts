/** What a misspelt word may have meant: words of the vocabulary that differ by few letters. */
import type { Vocabulary } from "../vocabulary.ts";

/** Letters below which a word is not corrected: nearly every short word is near others. */
const MIN_LETTERS = 4;
/** Letters from which two errors are corrected, else one. */
const TWO_ERRORS = 6;
/** Words that are searched in place of a misspelt one. */
const MAX_CORRECTIONS = 5;

/** A word of the vocabulary, and how many letters differ. */
export interface Correction {
  readonly word: string;
  readonly distance: number;
}

/** The nearest words, the nearest first. */
export async function corrections(word: string, vocabulary: Vocabulary): Promise<Correction[]> {
  if (word.length < MIN_LETTERS) return [];
  const most = word.length < TWO_ERRORS ? 1 : 2;
  const near = await vocabulary.near(word);
  return near
    .map((one) => ({ word: one, distance: distanceOf(word, one) }))
    .filter(({ distance }) => distance > 0 && distance <= most)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_CORRECTIONS);
}

/**
 * How many letters have to be added, removed, replaced, or swapped with the next one to make one word of the other (optimal string
 * alignment).
 */
export function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const row = [at];
    for (let to = 1; to <= other.length; to++) {
      const isSame = one[at - 1] === other[to - 1];
      let least = Math.min((last[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1, (last[to - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (isSwapped) least = Math.min(least, (before[to - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
