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

/** A scan of the index. */
export interface Branch {
  /** A tsquery. */
  readonly query: string;
  /** Where it is matched: in all words of the item, in those that ranking uses, or in its parts, such as attached files. */
  readonly column: "words" | "digest" | "parts";
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
        { query: queryOf(term), column: "words", has, most: Math.ceil(bound / 2) },
      );
    else branches.push({ query: queryOf(term, "names"), column: "digest", has, most: Math.ceil(bound / 5) });
  }
  if (hasParts)
    for (const { term, has } of each)
      branches.push({ query: queryOf(term), column: "parts", has, most: Math.ceil(bound / 2) });
  return { branches, isComplete: common.length === 0 || terms.length === 1 };
}

function isCommon({ alternatives, parts }: Term, figures: IndexFigures, bound: number): boolean {
  const expected =
    parts.length > 0
      ? Math.min(...parts.map((word) => figures.entriesOf(word, false)))
      : alternatives.reduce((sum, { word, isPrefix }) => sum + figures.entriesOf(word, isPrefix), 0);
  return figures.entries > bound && expected > COMMON * bound;
}
