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
  /** A tsquery that entries match besides, row by row: in the same column, or in the words of the item for a scan of parts. */
  readonly beside?: string;
  /** Entries that are read at most, of those that the viewer sees. */
  readonly most: number;
}

/** The scans of a search, and whether they read every entry with any of the terms. */
export interface Scans {
  readonly branches: readonly Branch[];
  readonly isComplete: boolean;
  /**
   * How many entries have each term, about, where not all of them are read; 0 where they are, so that what was counted decides the order,
   * which stays the same from page to page when the store gets to know more.
   */
  readonly expected: readonly number[];
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
      { ...together(terms, figures, bound / 2), column: "digest", has: every, most: Math.ceil(bound / 2) },
      { ...together(terms, figures, bound / 2), column: "words", has: every, most: Math.ceil(bound / 2) },
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
  const expected = each.map(({ term, isCommon }) => (isCommon ? expectedOf(term, figures) : 0));
  return { branches, isComplete: common.length === 0 || terms.length === 1, expected };
}

function isCommon(term: Term, figures: IndexFigures, bound: number): boolean {
  return figures.entries > bound && expectedOf(term, figures) > COMMON * bound;
}

/** Entries that have a term, about. */
export function expectedOf({ alternatives, parts }: Term, figures: IndexFigures): number {
  return parts.length > 0
    ? Math.min(...parts.map((word) => figures.entriesOf(word, false)))
    : alternatives.reduce((sum, { word, isPrefix }) => sum + figures.entriesOf(word, isPrefix), 0);
}

/** How entries with all of the terms are found the fastest: by the index alone, or those of the rarest term and then row by row. */
function together(terms: readonly Term[], figures: IndexFigures, some: number): Pick<Branch, "query" | "beside"> {
  const { entries } = figures;
  const [rarest, ...others] = terms
    .map((term) => ({ term, expected: Math.min(entries, expectedOf(term, figures)) }))
    .sort((a, b) => a.expected - b.expected);
  if (!rarest) return { query: "" };
  const tested = Math.min(
    rarest.expected,
    others.reduce((rows, { expected }) => (rows * entries) / expected, some),
  );
  const found = others.reduce((sum, { expected }) => sum + expected, 0);
  if (tested * FOUND_PER_TEST > found) return { query: allOf(terms) };
  return { query: queryOf(rarest.term), beside: allOf(others.map(({ term }) => term)) };
}

/** By which way some of the entries of a common term are found the fastest. */
function columnFor(term: Term, figures: IndexFigures, some: number): "words" | "rows" {
  const expected = Math.min(figures.entries, expectedOf(term, figures));
  const tested = (some * figures.entries) / expected;
  return tested * FOUND_PER_TEST < expected ? "rows" : "words";
}
