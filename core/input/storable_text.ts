/**
 * A text as every store of ours can hold it: U+0000 is dropped, halves of surrogate pairs become U+FFFD. We clean and do
 * not refuse, so that one bad character pasted into a page costs a client nothing.
 * @example
 * storable("a\0b"); // ab
 */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole;
}
