/**
 * Builds queries of the index in the text form of a tsquery. A term whose runs are joined by signs (`R&D`, `C++`, `node.js`) matches
 * only where they stand together: by the joined words of the index, or, where these do not say it, by all its runs and its text in
 * the item.
 */
import { IN_HEADING, IN_NAME, quotedWord } from "./item_words.ts";
import { normalizeText } from "./normalize_text.ts";
import { joinedWord, type Run, runsIn } from "./tokenize.ts";

/** Maximum runs of a query; further ones are ignored. */
const MAX_RUNS = 50;
/** Maximum terms that are also searched individually. */
const MAX_SINGLE = 5;
/** The end of a text that does not end within a word. */
const ENDS_WORD = /[^\p{L}\p{N}\p{M}_]$/u;

/** Queries that match what begins with any of some terms. */
export interface TermsQuery {
  /** Every entry that it matches has a term. */
  readonly certain: string | undefined;
  /** Of the entries that it matches, those have a term whose item has one of the texts. */
  readonly unverified: string | undefined;
  readonly texts: readonly string[];
}

/** Where terms are looked for. */
export interface TermsOptions {
  /** Whether all entries have joined words. */
  readonly joined: boolean;
  /** The words of the digest that are looked for; by default all. */
  readonly among?: "names" | "headings";
}

const MARKERS = { names: IN_NAME, headings: IN_HEADING } as const;

/** Whether any of the terms has letters or digits, without which it matches no text. */
export function hasWords(terms: readonly string[]): boolean {
  return terms.some((term) => runsIn(term).length > 0);
}

/** Matches words that start with any of the terms. */
export function termsQuery(terms: readonly string[], { joined, among }: TermsOptions): TermsQuery {
  const marker = among ? MARKERS[among] : "";
  const words = wordsOfTerms(terms, joined).map(({ lexemes, text }) => ({
    query: `(${allOf(lexemes, marker, true)})`,
    text,
  }));
  const anyOf = (queries: readonly { readonly query: string }[]) =>
    queries.length === 0 ? undefined : queries.map(({ query }) => query).join(" | ");
  const unverified = words.filter(({ text }) => text !== undefined);
  return {
    certain: anyOf(words.filter(({ text }) => text === undefined)),
    unverified: anyOf(unverified),
    texts: unverified.flatMap(({ text }) => text ?? []),
  };
}

/** Matches what either of the queries matches, for ranking. */
export function eitherOf({ certain, unverified }: TermsQuery): string | undefined {
  const queries = [certain, unverified].filter((query) => query !== undefined);
  return queries.length === 0 ? undefined : queries.join(" | ");
}

/** A query for each term, the longest first, since long words tend to be rare; none if there is only one term. */
export function singleTerms(terms: readonly string[], options: TermsOptions): TermsQuery[] {
  const single = [...new Set(terms)].filter((term) => hasWords([term]));
  if (single.length < 2) return [];
  return single
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_SINGLE)
    .map((term) => termsQuery([term], options));
}

/** The lexemes of a term that all have to match, the last one as a prefix; and its text, if they do not imply it. */
interface TermWords {
  readonly lexemes: readonly string[];
  readonly text: string | undefined;
}

function wordsOfTerms(terms: readonly string[], joined: boolean): TermWords[] {
  const found: TermWords[] = [];
  let room = MAX_RUNS;
  for (const term of terms) {
    const runs = runsIn(term).slice(0, room);
    room -= runs.length;
    if (runs.length > 0) found.push(wordsOfTerm(term, runs, joined));
  }
  return found;
}

function wordsOfTerm(term: string, runs: readonly Run[], joined: boolean): TermWords {
  const [first] = runs;
  const isWord = runs.length === 1 && first?.start === 0 && first.signs === "";
  if (isWord) return { lexemes: first.words, text: undefined };
  const joins = runs.map((run, at) => (joined ? joinedWord(run, runs[at + 1]) : undefined));
  const lexemes = runs.flatMap(({ words }, at) => {
    const join = joins[at];
    const isPart = words.length === 1 && (join !== undefined || joins[at - 1] !== undefined);
    return [...(isPart ? [] : words), ...(join === undefined ? [] : [join])];
  });
  const hasJoins = runs.every(({ signs, isFollowed }, at) => (signs === "" && !isFollowed) || joins[at] !== undefined);
  const isWhole = first?.start === 0 && lexemes.length === 1 && hasJoins;
  return { lexemes, text: isWhole ? undefined : normalizeText(term) };
}

/** Matches all words of exact texts; the last one of a text as a prefix if the text may end within a word. */
export function allWords(texts: readonly string[]): string | undefined {
  const conjuncts = texts.flatMap((text) => {
    const words = runsIn(text)
      .flatMap((run) => run.words)
      .slice(0, MAX_RUNS);
    return words.length === 0 ? [] : [allOf(words, "", !ENDS_WORD.test(text))];
  });
  return conjuncts.length === 0 ? undefined : conjuncts.join(" & ");
}

function allOf(words: readonly string[], marker: string, lastIsPrefix: boolean): string {
  return words
    .map((word, at) => `${quotedWord(marker + word)}${lastIsPrefix && at === words.length - 1 ? ":*" : ""}`)
    .join(" & ");
}
