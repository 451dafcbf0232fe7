/**
 * A text that PostgreSQL can store: U+0000 is removed, unpaired surrogates become U+FFFD. The text is cleaned and not refused,
 * so that one bad character in pasted text does not fail the request.
 * @example
 * storable("a\0b"); // ab
 */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole;
}
