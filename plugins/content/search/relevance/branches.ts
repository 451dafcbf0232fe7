/**
 * Which scans of the index answer a search. Rare terms are read whole, so that every item with one is ranked and counted. Of a common
 * term those entries are read that have it in their name or headings, some others, and those that have all terms: they rank first, and
 * what is left is neither ranked nor counted, which marks the total as a lower bound.
 */
import type { IndexFigures } from "./frequencies.ts";
import { allOf, queryOf } from "./term_query.ts";
import type { Term } from "./terms.ts";

/** A term is common from this many entries, as a multiple of what a search ranks. */
const COMMON = 2;

/**
 * Entries of an inverted index that are found in the time in which one row of the table is read and its words are tested: an index finds
 * all entries of a word before the first one is read, so most words of every other entry are faster found without it.
 */
const FOUND_PER_TEST = 60;

/** A scan of the index. */
export interface Branch {
  /** A tsquery. */
  readonly query: string;
  /**
   * Where it is matched: in all words of the item, by their index or row by row, in those that ranking uses, or in its parts, such as
   * attached files.
   */
  readonly column: "words" | "rows" | "digest" | "parts";
  /** The terms that each entry of it has, as bits. */
  readonly has: number;
  /** Of a scan of parts: a tsquery that the words of the item match besides. */
  readonly beside?: string;
  /** Entries that are read at most, of those that the viewer sees. */
  readonly most: number;
}

/** The scans of a search, and whether they read every entry with any of the terms. */
export interface Scans {
  readonly branches: readonly Branch[];
  readonly isComplete: boolean;
}

/** The scans for terms of which at most `bound` items are ranked; `areCommon` are places of terms that turned out to be common. */
export function scansOf(
  terms: readonly Term[],
  figures: IndexFigures,
  options: { readonly bound: number; readonly areCommon: ReadonlySet<number>; readonly hasParts: boolean },
): Scans {
  const { bound, areCommon, hasParts } = options;
  const most = bound + 1;
  const every = (1 << terms.length) - 1;
  const each = terms.map((term, at) => ({
    term,
    has: 1 << at,
    isCommon: areCommon.has(at) || isCommon(term, figures, bound),
  }));
  const branches: Branch[] = [];
  const common = each.filter((one) => one.isCommon);
  if (common.length > 0 && terms.length > 1) {
    branches.push(
      { query: allOf(terms, "names"), column: "digest", has: every, most: Math.ceil(bound / 5) },
      { query: allOf(terms), column: "digest", has: every, most: Math.ceil(bound / 2) },
      { query: allOf(terms), column: "words", has: every, most: Math.ceil(bound / 2) },
    );
  }
  for (const { term, has, isCommon } of each) {
    if (!isCommon) branches.push({ query: queryOf(term), column: "words", has, most });
    else if (terms.length === 1)
      branches.push(
        { query: queryOf(term, "names"), column: "digest", has, most: Math.ceil(bound / 5) },
        { query: queryOf(term, "headings"), column: "digest", has, most: Math.ceil(bound / 5) },
        { query: queryOf(term), column: columnFor(term, figures, bound / 2), has, most: Math.ceil(bound / 2) },
      );
    else branches.push({ query: queryOf(term, "names"), column: "digest", has, most: Math.ceil(bound / 5) });
  }
  if (hasParts)
    for (const { term, has } of each)
      branches.push({ query: queryOf(term), column: "parts", has, most: Math.ceil(bound / 2) });
  return { branches, isComplete: common.length === 0 || terms.length === 1 };
}

function isCommon(term: Term, figures: IndexFigures, bound: number): boolean {
  return figures.entries > bound && expectedOf(term, figures) > COMMON * bound;
}

/** Entries that have a term, about. */
function expectedOf({ alternatives, parts }: Term, figures: IndexFigures): number {
  return parts.length > 0
    ? Math.min(...parts.map((word) => figures.entriesOf(word, false)))
    : alternatives.reduce((sum, { word, isPrefix }) => sum + figures.entriesOf(word, isPrefix), 0);
}

/** By which way some of the entries of a common term are found the fastest. */
function columnFor(term: Term, figures: IndexFigures, some: number): "words" | "rows" {
  const expected = Math.min(figures.entries, expectedOf(term, figures));
  const tested = (some * figures.entries) / expected;
  return tested * FOUND_PER_TEST < expected ? "rows" : "words";
}
