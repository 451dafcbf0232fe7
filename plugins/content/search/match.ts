/** Queries of the index of words, as PostgreSQL's text form of a tsquery. Words hold no sign that means something there. */
import { IN_HEADING, IN_NAME } from "./item_words.ts";
import { runsIn } from "./words.ts";

/** Runs of a query that are looked for; further ones are ignored. */
const MAX_RUNS = 50;
/** Terms that are looked for on their own as well. */
const MAX_ALONE = 5;
const SEPARATOR = /[^\p{L}\p{N}\p{M}_]$/u;

/** Any of the terms as beginnings of words; undefined where they hold no word. */
export function anyOf(terms: readonly string[]): string | undefined {
  return joined(terms, "");
}

/** The same in names alone, and in headings and tags alone, as the digest marks them. */
export function inNames(terms: readonly string[]): string | undefined {
  return joined(terms, IN_NAME);
}

/** See `inNames`. */
export function inHeadings(terms: readonly string[]): string | undefined {
  return joined(terms, IN_HEADING);
}

/** Each term on its own, the longest first, as long words are rare ones; none where there are not several. */
export function eachOf(terms: readonly string[]): string[] {
  const alone = [...new Set(terms.flatMap((term) => joined([term], "") ?? []))];
  return alone.length < 2 ? [] : alone.sort((a, b) => b.length - a.length).slice(0, MAX_ALONE);
}

function joined(terms: readonly string[], sign: string): string | undefined {
  const runs = terms.flatMap((term) => [...runsIn(term)]).slice(0, MAX_RUNS);
  const parts = runs.map((words) => `(${together(words, sign, true)})`);
  return parts.length === 0 ? undefined : parts.join(" | ");
}

/** All words of exact texts, the last one of each as a beginning where the text may end within a word. */
export function allOf(texts: readonly string[]): string | undefined {
  const parts = texts.flatMap((text) => {
    const words = [...runsIn(text)].flat().slice(0, MAX_RUNS);
    return words.length === 0 ? [] : [together(words, "", !SEPARATOR.test(text))];
  });
  return parts.length === 0 ? undefined : parts.join(" & ");
}

function together(words: readonly string[], sign: string, isOpen: boolean): string {
  return words.map((word, at) => `'${sign}${word}'${isOpen && at === words.length - 1 ? ":*" : ""}`).join(" & ");
}
