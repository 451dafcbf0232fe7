/**
 * The words of a search by relevance, and what each of them matches: the word itself, other forms of it, words that begin with it, and,
 * where no item has it, words that it may have been meant to be. What people type as one word (`R&D`, `node.js`) is one term.
 */
import { normalizeText } from "../normalize_text.ts";
import { joinedWord, runsIn } from "../tokenize.ts";
import type { KnownWord, Vocabulary } from "../vocabulary.ts";
import { corrections } from "./corrections.ts";

/** Terms of a search that count; further ones are ignored. */
const MAX_TERMS = 12;
/** Different words of a term that count, such as those of a run without spaces: the store reads them all for each entry. */
const MAX_WORDS = 100;
/** Characters from which a word also matches what begins with it, where no item has the word. */
const MIN_PREFIX = 2;
/** Lower case letters, digits and signs between blanks. */
const TYPED = /\S+/g;

/** A word that a term matches, and how much a match counts. */
export interface Alternative {
  readonly word: string;
  /** Whether words that begin with it match too. */
  readonly isPrefix: boolean;
  /** From 0 to 1. */
  readonly weight: number;
}

/** A word of a search. */
export interface Term {
  /** As it was typed. */
  readonly typed: string;
  /** What it matches, the best first; never empty. */
  readonly alternatives: readonly Alternative[];
  /** Words that match together in place of the alternatives, at any place of the item: the parts of a word with signs. */
  readonly parts: readonly string[];
  /** Whether all alternatives but the first are words that it may have been meant to be. */
  readonly isCorrected: boolean;
}

const FORM_WEIGHT = 0.7;
const PREFIX_WEIGHT = 0.4;
const CORRECTED_WEIGHT = 0.5;

/** A run of letters and digits of the search, or several with signs between them. */
interface Asked {
  readonly typed: string;
  readonly words: readonly string[];
  /** Words of runs with their signs; empty for a plain word. */
  readonly joined: readonly string[];
  /** Whether it can have forms and be misspelt: a plain word of a script with spaces. */
  readonly isPlain: boolean;
}

/**
 * The terms of the typed words. Words that say nothing are left out, unless there are no others. With `isExact` they are those of texts
 * that are found as they are: nothing else matches.
 */
export async function termsOf(
  typed: readonly string[],
  vocabulary: Vocabulary,
  { isExact = false } = {},
): Promise<Term[]> {
  const asked = typed.flatMap((text) => [...text.matchAll(TYPED)].flatMap(([one]) => askedOf(one))).slice(0, MAX_TERMS);
  if (isExact) return asked.map(exactTerm);
  const known = await vocabulary.lookUp(
    asked.map(({ words: [word = ""], typed }) => ({ word, written: typed.normalize("NFC").toLowerCase() })),
  );
  const all = asked.map((one, at) => ({ one, known: known[at], isLast: at === asked.length - 1 }));
  const telling = all.filter(({ one, known }) => !(one.isPlain && known?.stop));
  const used = telling.length > 0 ? telling : all;
  return Promise.all(used.map(({ one, known, isLast }) => termOf(one, known, isLast, vocabulary)));
}

function exactTerm({ typed, words, joined, isPlain }: Asked): Term {
  const parts = isPlain ? [] : words;
  return { typed, alternatives: joinedAlternatives(words, joined), parts, isCorrected: false };
}

function askedOf(typed: string): Asked[] {
  const runs = runsIn(typed);
  if (runs.length === 0) return [];
  const joined = runs.flatMap((run, at) => joinedWord(run, runs[at + 1]) ?? []);
  const isUnspaced = runs.some((run) => run.isUnspaced);
  if (joined.length > 0)
    return [
      { typed, words: firstWords(runs.flatMap(({ words }) => words)), joined: firstWords(joined), isPlain: false },
    ];
  // Signs that separate words, as in `read(file)`: each is a term of its own.
  return runs.map(({ words }) => ({
    typed: runs.length === 1 ? typed : (words[0] ?? typed),
    words: firstWords(words),
    joined,
    isPlain: words.length === 1 && !isUnspaced,
  }));
}

/** The first different words, the last one of all at their end: it may be the beginning of a word. */
function firstWords(words: readonly string[]): readonly string[] {
  if (words.length < 2) return words;
  const last = words.at(-1) ?? "";
  const others = new Set(words);
  others.delete(last);
  return [...[...others].slice(0, MAX_WORDS - 1), last];
}

async function termOf(
  { typed, words, joined, isPlain }: Asked,
  known: KnownWord | undefined,
  isLast: boolean,
  vocabulary: Vocabulary,
): Promise<Term> {
  if (!isPlain) return { typed, alternatives: joinedAlternatives(words, joined), parts: words, isCorrected: false };
  const word = words[0] ?? normalizeText(typed);
  const isPrefix = word.length >= MIN_PREFIX && (isLast || !known?.known);
  const exact = { word, isPrefix: false, weight: 1 };
  const forms = (known?.forms ?? []).map((form) => ({ word: form, isPrefix: false, weight: FORM_WEIGHT }));
  const begins = isPrefix ? [{ word, isPrefix: true, weight: PREFIX_WEIGHT }] : [];
  const term = { typed, alternatives: [exact, ...forms, ...begins], parts: [], isCorrected: false };
  return !known || known.known || known.begins || forms.length > 0 ? term : correctedTerm(term, vocabulary);
}

/** A term with the words that it may have been meant to be, if it is a plain word and there are any; else as it is. */
export async function correctedTerm(term: Term, vocabulary: Vocabulary): Promise<Term> {
  const [exact] = term.alternatives;
  if (term.parts.length > 0 || term.isCorrected || !exact) return term;
  const meant = await corrections(exact.word, vocabulary);
  if (meant.length === 0) return term;
  const of = await vocabulary.lookUp(meant.map(({ word }) => ({ word, written: word })));
  const corrected = meant.flatMap(({ word, distance }, at) => {
    const weight = CORRECTED_WEIGHT / distance;
    const others = (of[at]?.forms ?? []).map((form) => ({ word: form, isPrefix: false, weight: weight * FORM_WEIGHT }));
    return [{ word, isPrefix: false, weight }, ...others];
  });
  // The word itself stays: an item that another version indexed may have it.
  return { ...term, alternatives: unique([exact, ...corrected]), isCorrected: true };
}

/** The words of a run without spaces match by its pairs of characters; those with signs by their joined words. */
function joinedAlternatives(words: readonly string[], joined: readonly string[]): Alternative[] {
  return (joined.length > 0 ? joined : words).map((word, at, { length }) => ({
    word,
    isPrefix: at === length - 1,
    weight: 1,
  }));
}

function unique(alternatives: readonly Alternative[]): Alternative[] {
  const best = new Map<string, Alternative>();
  for (const one of alternatives) if ((best.get(one.word)?.weight ?? 0) < one.weight) best.set(one.word, one);
  return [...best.values()];
}
