/**
 * A text without these characters at its beginning and its end. Linear, while `/x+$/` starts again at every x of a run that is not
 * the last, so that it takes quadratic time.
 * @example
 * trimChars("//notes/", "/"); // "notes"
 */
export function trimChars(text: string, chars: string): string {
  const end = endWithout(text, chars);
  let start = 0;
  while (start < end && chars.includes(text.charAt(start))) start += 1;
  return text.slice(start, end);
}

/**
 * A text without these characters at its end, in linear time.
 * @example
 * trimEndChars("https://notes.example.com//", "/"); // "https://notes.example.com"
 */
export function trimEndChars(text: string, chars: string): string {
  return text.slice(0, endWithout(text, chars));
}

function endWithout(text: string, chars: string): number {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1;
  return end;
}
