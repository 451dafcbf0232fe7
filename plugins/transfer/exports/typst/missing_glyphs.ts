/**
 * Finds the writing systems of a document that no installed font covers. Typst does not report missing glyphs; it draws the
 * same empty box for each. So a glyph is missing where its drawing equals that of an unassigned code point.
 */

/** Draws a single letter. Returns an identifier of its glyph; undefined where Typst rejects it. */
export type Draw = (letter: string) => string | undefined;

/** How many distinct letters of a document are checked. */
const MAX_LETTERS = 500;
/** A code point that is never assigned. */
const UNASSIGNED = "\u{10FFFE}";
const NON_LATIN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Co}\p{Cn}]/gu;
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

/** Writing systems in `text` with missing glyphs, by name, each with its first missing letter. */
export function missingScripts(text: string, draw: Draw): Record<string, string> {
  const letters = new Set<string>();
  for (const [letter] of text.matchAll(NON_LATIN)) {
    letters.add(letter);
    if (letters.size >= MAX_LETTERS) break;
  }
  if (letters.size === 0) return {};
  const box = draw(UNASSIGNED);
  const missing: Record<string, string> = {};
  for (const letter of letters) {
    const script = SCRIPTS.find((one) => one.letters.test(letter))?.name ?? "another writing system";
    if (box !== undefined && !(script in missing) && draw(letter) === box) missing[script] = letter;
  }
  return missing;
}
