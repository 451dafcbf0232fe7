/**
 * Splits text into words in linear time; PostgreSQL's own parser (to_tsvector) takes quadratic time on runs such as `_a_a_a`. A
 * word is a normalised run of letters, digits, marks and underscores. Runs in scripts without spaces between words are split
 * into overlapping pairs of characters (bigrams), so that words within a run are found. Runs with nothing but signs between them
 * (`R&D`, `node.js`, `x=1`) are indexed as one word besides, a pair of runs at a time; so is a run with the signs at its end (`C++`).
 */
import { trimEndChars } from "lectern/core";
import { normalizeText } from "./normalize_text.ts";

/** Maximum length of a word; a longer run is split into several words. PostgreSQL allows 2046 bytes. */
export const MAX_WORD = 100;
/** Maximum signs that join two runs; runs with more between them, such as lines of dashes, are indexed alone. */
const MAX_SIGNS = 8;
/** Signs that belong to no word at its end: they end sentences, or stand for any further letters in a search. */
export const ENDING_SIGNS = ".-*…";

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
/** Signs that separate words in the original (content-api 14). Others, such as `& + / = - .`, join them. */
const SEPARATING = String.raw`,!?:;\(\)\[\]\{\}<>'"\x60«»`;
const PART = new RegExp(
  String.raw`([${UNSPACED}]+)|([[\p{L}\p{N}\p{M}_]--[${UNSPACED}]]+)|[[\p{P}\p{S}]--[_${SEPARATING}]]+`,
  "gv",
);

/** A run of letters and digits in a text. */
export interface Run {
  /** The words it is indexed by: one, except for long runs and bigrams. */
  readonly words: readonly string[];
  readonly isUnspaced: boolean;
  /** Its place in the normalised text. */
  readonly start: number;
  /** The signs that follow it at once. */
  signs: string;
  /** Whether the next run follows it and its signs at once. */
  isFollowed: boolean;
}

/** The runs of a text in order. */
export function runsIn(text: string): Run[] {
  const runs: Run[] = [];
  // The run that what begins at `end` follows at once.
  let last: Run | undefined;
  let end = 0;
  for (const found of normalizeText(text).matchAll(PART)) {
    const { 0: part, 1: unspaced, 2: spaced, index } = found;
    if (index !== end) last = undefined;
    end = index + part.length;
    if (unspaced === undefined && spaced === undefined) {
      if (last) last.signs = part;
      continue;
    }
    if (last) last.isFollowed = true;
    last = {
      words: wordsOfRun(part, unspaced !== undefined),
      isUnspaced: unspaced !== undefined,
      start: index,
      signs: "",
      isFollowed: false,
    };
    runs.push(last);
  }
  return runs;
}

function wordsOfRun(run: string, isUnspaced: boolean): readonly string[] {
  if (isUnspaced) return bigramsOf(run);
  return run.length <= MAX_WORD ? [run] : [...chunksOf(run)];
}

/** The word of a run with its signs and the run that follows it, if there is one; undefined if it is not indexed. */
export function joinedWord({ words, isUnspaced, signs, isFollowed }: Run, next: Run | undefined): string | undefined {
  const [left] = words;
  if (left === undefined || words.length > 1 || isUnspaced || signs === "" || signs.length > MAX_SIGNS)
    return undefined;
  if (isFollowed && next) return next.isUnspaced ? undefined : `${left}${signs}${next.words[0]}`;
  const ending = trimEndChars(signs, ENDING_SIGNS);
  return ending === "" ? undefined : left + ending;
}

/** Characters of a chunk of text, which takes a few milliseconds at most to normalise and split. */
export const CHUNK = 4_000;
const BLANK = /\s/;
/** A character that is part of no run; surrogates may be. */
const SEPARATOR = /[^\p{L}\p{N}\p{M}\p{Cs}_]/v;

/** A text in chunks that are cut at blanks; elsewhere only if no blank is in a whole chunk, and within a run only if that fills it. */
export function* textChunks(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK);
    if (end < text.length) {
      const cut = lastOf(BLANK, text, { start, end }) ?? lastOf(SEPARATOR, text, { start, end });
      if (cut !== undefined) end = cut;
      // Does not separate a surrogate pair.
      else if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end += 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** The place of the last such character after `start`, up to `end`. */
function lastOf(character: RegExp, text: string, { start, end }: { start: number; end: number }): number | undefined {
  for (let at = end; at > start; at -= 1) if (character.test(text.charAt(at))) return at;
  return undefined;
}

/** The words of a text, joined ones included: lists, since generators took most of the time of indexing a page. */
export function wordsIn(text: string): string[] {
  const words: string[] = [];
  const runs = runsIn(text);
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at];
    if (!run) break;
    for (const word of run.words) words.push(word);
    const joined = run.signs === "" ? undefined : joinedWord(run, runs[at + 1]);
    if (joined !== undefined) words.push(joined);
  }
  return words;
}

/** Each character with the next one, and the last one alone, so that every character begins a word. */
function bigramsOf(run: string): string[] {
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}

/** A long run in chunks of `MAX_WORD` that separate no surrogate pair. */
function* chunksOf(run: string): Generator<string> {
  for (let start = 0; start < run.length; ) {
    const isInsidePair = (run.codePointAt(start + MAX_WORD - 1) ?? 0) > 0xffff;
    const end = start + MAX_WORD - (isInsidePair ? 1 : 0);
    yield run.slice(start, end);
    start = end;
  }
}
