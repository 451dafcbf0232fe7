import { normalizeText } from "./normalize_text.ts";

/** What somebody has typed so far, as suggestions compare it with names. */
export interface TypedText {
  /** Without blanks around it. */
  readonly text: string;
  /** Its words, `MAX_WORDS` at most. */
  readonly words: readonly string[];
  /**
   * Whether it has a letter of a script without spaces between words, or a syllable of Hangul. Names are searched for its words then,
   * wherever they are, and one letter is enough.
   */
  readonly isUnspaced: boolean;
  /** Whether it is long enough to search all names, and not only the recently opened items. */
  readonly isEnough: boolean;
}

/** Words that are searched: the longest ones. */
export const MAX_WORDS = 6;
/** Characters of a word that is looked for within words; no trigram leads to shorter ones. */
export const SHORT_CHARS = 3;
/** Letters of a spaced script that are enough. */
const ENOUGH = 2;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const LETTER = /[\p{L}\p{N}]/u;
const LETTERS = /[\p{L}\p{N}]/gu;

/** Splits what was typed. */
export function typedText(typed: string): TypedText {
  const text = typed.trim();
  const isUnspaced = UNSPACED.test(text);
  const letters = normalizeText(text).match(LETTERS)?.length ?? 0;
  const words = [...new Set(text.split(/\s+/))]
    .filter((word) => LETTER.test(word))
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_WORDS);
  return { text, words, isUnspaced, isEnough: letters >= (isUnspaced ? 1 : ENOUGH) };
}
