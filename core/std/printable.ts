/** Control characters, line separators and bidirectional controls. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const HEX = 16;
const DIGITS = 4;

/** A text as one line with escapes for what acts in a terminal: what a plugin says of itself moves, hides and adds nothing there. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(HEX).padStart(DIGITS, "0")}`);
}
