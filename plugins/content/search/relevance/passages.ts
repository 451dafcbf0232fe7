/** Excerpts of a text around the words of a search: those with the most and the rarest of them, in the order of the text. */

import { highlighted, type Match, normalizedWithOffsets } from "../preview.ts";
import { occurrencesIn } from "./occurrences.ts";
import type { Term } from "./terms.ts";

/** Characters of an excerpt, about. */
const LENGTH = 180;
/** Characters before its first word. */
const BEFORE = 40;
/** Excerpts of a text at most. */
const MOST = 2;
/** What each further occurrence of a term in an excerpt adds, beside how rare the term is. */
const AGAIN = 0.1;
/** Characters that an excerpt may move so that it cuts no word. */
const MAX_MOVE = 15;

interface Found extends Match {
  readonly term: number;
}

/** The words of terms in a text, with their places in the text. */
export function matchesOf(text: string, terms: readonly Term[]): Found[] {
  const { normalized, offsetOf } = normalizedWithOffsets(text);
  return occurrencesIn(normalized, terms).map(({ term, start, end }) => ({
    term,
    start: offsetOf(start),
    end: offsetOf(end),
  }));
}

/** The best excerpts as HTML; the start of the text where it has no match. */
export function passagesOf(text: string, terms: readonly Term[], inverse: readonly number[]): string[] {
  const matches = matchesOf(text, terms);
  const windows = matches
    .map(({ start }, first) => ({ start, score: scoreOf(matches, first, inverse) }))
    .sort((a, b) => b.score - a.score || a.start - b.start);
  const taken: { readonly start: number; readonly end: number }[] = [];
  for (const { start } of windows) {
    if (taken.length === MOST) break;
    const from = wordStart(text, Math.max(0, start - BEFORE));
    const to = wordEnd(text, Math.min(text.length, from + LENGTH));
    if (taken.every((other) => to <= other.start || from >= other.end)) taken.push({ start: from, end: to });
  }
  if (taken.length === 0) taken.push({ start: 0, end: wordEnd(text, Math.min(text.length, LENGTH)) });
  return taken
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => {
      const shown = highlighted(text, start, end, matches).trim();
      return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`;
    });
}

function scoreOf(matches: readonly Found[], first: number, inverse: readonly number[]): number {
  const end = (matches[first]?.start ?? 0) + LENGTH - BEFORE;
  const terms = new Set<number>();
  let score = 0;
  for (let at = first; at < matches.length; at++) {
    const match = matches[at];
    if (!match || match.end > end) break;
    score += terms.has(match.term) ? AGAIN : (inverse[match.term] ?? 0) + AGAIN;
    terms.add(match.term);
  }
  return score;
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0;
  const blank = text.slice(from, from + MAX_MOVE).search(/\s/);
  return blank < 0 ? from : from + blank + 1;
}

function wordEnd(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const blank = text.slice(to, to + MAX_MOVE).search(/\s/);
  return blank < 0 ? to : to + blank;
}
