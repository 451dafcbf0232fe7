/** Builds queries of the index in the text form of a tsquery. Words contain no character with a meaning there. */
import { IN_HEADING, IN_NAME } from "./item_words.ts";
import { runsIn } from "./tokenize.ts";

/** Maximum runs of a query; further ones are ignored. */
const MAX_RUNS = 50;
/** Maximum terms that are also searched individually. */
const MAX_SINGLE = 5;
/** The end of a text that does not end within a word. */
const ENDS_WORD = /[^\p{L}\p{N}\p{M}_]$/u;

/** Matches words that start with any of the terms; undefined if the terms contain no word. */
export function anyTerm(terms: readonly string[]): string | undefined {
  return anyRun(terms, "");
}

/** The same in names only, which the digest marks. */
export function anyTermInNames(terms: readonly string[]): string | undefined {
  return anyRun(terms, IN_NAME);
}

/** The same in headings and tags only, which the digest marks. */
export function anyTermInHeadings(terms: readonly string[]): string | undefined {
  return anyRun(terms, IN_HEADING);
}

/** A query for each term, the longest first, since long words tend to be rare; none if there is only one term. */
export function singleTerms(terms: readonly string[]): string[] {
  const single = [...new Set(terms.flatMap((term) => anyRun([term], "") ?? []))];
  return single.length < 2 ? [] : single.sort((a, b) => b.length - a.length).slice(0, MAX_SINGLE);
}

function anyRun(terms: readonly string[], marker: string): string | undefined {
  const runs = terms.flatMap((term) => [...runsIn(term)]).slice(0, MAX_RUNS);
  const alternatives = runs.map((words) => `(${allOf(words, marker, true)})`);
  return alternatives.length === 0 ? undefined : alternatives.join(" | ");
}

/** Matches all words of exact texts; the last one of a text as a prefix if the text may end within a word. */
export function allWords(texts: readonly string[]): string | undefined {
  const conjuncts = texts.flatMap((text) => {
    const words = [...runsIn(text)].flat().slice(0, MAX_RUNS);
    return words.length === 0 ? [] : [allOf(words, "", !ENDS_WORD.test(text))];
  });
  return conjuncts.length === 0 ? undefined : conjuncts.join(" & ");
}

function allOf(words: readonly string[], marker: string, lastIsPrefix: boolean): string {
  return words
    .map((word, at) => `'${marker}${word}'${lastIsPrefix && at === words.length - 1 ? ":*" : ""}`)
    .join(" & ");
}
