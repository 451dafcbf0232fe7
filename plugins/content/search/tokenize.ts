/**
 * Splits text into words in linear time; PostgreSQL's own parser (to_tsvector) takes quadratic time on runs such as `_a_a_a`. A
 * word is a normalised run of letters, digits, marks and underscores. Runs in scripts without spaces between words are split
 * into overlapping pairs of characters (bigrams), so that words within a run are found.
 */
import { normalizeText } from "./normalize_text.ts";

/** Maximum length of a word; a longer run is split into several words. PostgreSQL allows 2046 bytes. */
export const MAX_WORD = 100;

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const RUN = new RegExp(String.raw`([${UNSPACED}]+)|[[\p{L}\p{N}\p{M}_]--[${UNSPACED}]]+`, "gv");

/** The runs of a text in order, each as the words it is indexed by: one, except for long runs and bigrams. */
export function runsIn(text: string): (readonly string[])[] {
  return Array.from(normalizeText(text).matchAll(RUN), wordsOfRun);
}

function wordsOfRun(found: RegExpExecArray): readonly string[] {
  const run = found[0];
  if (found[1] !== undefined) return bigramsOf(run);
  return run.length <= MAX_WORD ? [run] : [...chunksOf(run)];
}

/** Characters of a chunk of text, which takes a few milliseconds at most to normalise and split. */
export const CHUNK = 4_000;
/** A character that is part of no word; surrogates may be. */
const SEPARATOR = /[^\p{L}\p{N}\p{M}\p{Cs}_]/v;

/** A text in chunks that are cut between words; within a word only if it fills a whole chunk. */
export function* textChunks(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK);
    if (end < text.length) {
      let cut = end;
      while (cut > start && !SEPARATOR.test(text.charAt(cut))) cut -= 1;
      if (cut > start) end = cut;
      // Does not separate a surrogate pair.
      else if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end += 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** The words of a text in order: lists, since generators took most of the time of indexing a page. */
export function wordsIn(text: string): string[] {
  return runsIn(text).flat();
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
