/**
 * Splits text into words, in time proportional to the text: the parser behind to_tsvector takes quadratic time on runs
 * such as `_a_a_a`. A word is a run of letters, digits, marks and underscores, folded. Scripts that put no spaces between
 * words are split into pairs of characters that overlap, so that what stands inside a run is found.
 */
import { fold } from "./fold.ts";

/** Characters of a word; a longer run is split into several words of this length. PostgreSQL allows 2046 bytes. */
export const MAX_WORD = 100;

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const RUN = new RegExp(String.raw`([${UNSPACED}]+)|[[\p{L}\p{N}\p{M}_]--[${UNSPACED}]]+`, "gv");

/** The runs of a text in their order, each as the words it is indexed by: nearly always one. */
export function* runsIn(text: string): Generator<readonly string[]> {
  for (const [run, unspaced] of fold(text).matchAll(RUN)) {
    if (unspaced !== undefined) yield pairsOf(run);
    else if (run.length <= MAX_WORD) yield [run];
    else yield [...piecesOf(run)];
  }
}

/** Characters of a piece of a text: folding and splitting one takes a few milliseconds at most. */
const PIECE = 4_000;
/** What is in no word; halves of surrogate pairs may be. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}\p{Cs}_]/v;

/** A text in pieces, cut between words; where a word goes on for a whole piece, within it. */
export function* piecesBetweenWords(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + PIECE);
    if (end < text.length) {
      let cut = end;
      while (cut > start && !BETWEEN_WORDS.test(text.charAt(cut))) cut -= 1;
      if (cut > start) end = cut;
      // Both halves of a surrogate pair go together.
      else if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end += 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** The words of a text in their order. */
export function* wordsIn(text: string): Generator<string> {
  for (const words of runsIn(text)) yield* words;
}

/** Each character with the next one; the last one stands alone, so that every character begins a word. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}

/** A long run in pieces that split no character in two. */
function* piecesOf(run: string): Generator<string> {
  for (let start = 0; start < run.length; ) {
    const isInsidePair = (run.codePointAt(start + MAX_WORD - 1) ?? 0) > 0xffff;
    const end = start + MAX_WORD - (isInsidePair ? 1 : 0);
    yield run.slice(start, end);
    start = end;
  }
}
