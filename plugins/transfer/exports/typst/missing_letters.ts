/**
 * Which writing systems of a document no font here has letters of. The engine says nothing of it and draws an empty box,
 * the same for every such letter: so a letter is missing where it looks like one that no font can have.
 */

/** Draws a letter by itself; answers what it looks like, undefined where the engine refuses it. */
export type Draw = (letter: string) => string | undefined;

/** Letters that are looked at in one document; the rest of it is written like them. */
const MOST_LETTERS = 500;
/** A code point that will never be a letter. */
const NO_LETTER = "\u{10FFFE}";
const FOREIGN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Co}\p{Cn}]/gu;
const SCRIPTS = [
  "Arabic",
  "Armenian",
  "Bengali",
  "Cyrillic",
  "Devanagari",
  "Ethiopic",
  "Georgian",
  "Greek",
  "Gujarati",
  "Gurmukhi",
  "Han",
  "Hangul",
  "Hebrew",
  "Hiragana",
  "Kannada",
  "Katakana",
  "Khmer",
  "Lao",
  "Malayalam",
  "Mongolian",
  "Myanmar",
  "Oriya",
  "Sinhala",
  "Syriac",
  "Tamil",
  "Telugu",
  "Thaana",
  "Thai",
  "Tibetan",
].map((name) => ({ name, letters: new RegExp(`^\\p{Script=${name}}`, "u") }));

/** Names of the writing systems in `text` of which letters are missing, with the first such letter of each. */
export function missingScripts(text: string, draw: Draw): Record<string, string> {
  const letters = new Set<string>();
  for (const [letter] of text.matchAll(FOREIGN)) {
    letters.add(letter);
    if (letters.size >= MOST_LETTERS) break;
  }
  if (letters.size === 0) return {};
  const box = draw(NO_LETTER);
  const missing: Record<string, string> = {};
  for (const letter of letters) {
    const script = SCRIPTS.find((one) => one.letters.test(letter))?.name ?? "another writing system";
    if (box !== undefined && !(script in missing) && draw(letter) === box) missing[script] = letter;
  }
  return missing;
}
