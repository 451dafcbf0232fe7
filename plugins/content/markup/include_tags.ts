/** An include tag in a text (content-api 9.4). */
export interface IncludeTag {
  /** Its start in the text. */
  readonly start: number;
  /** Its end in the text, exclusive. */
  readonly end: number;
  /** The text between `{{@` and `}}`. */
  readonly inner: string;
  /** The id of the page; not necessarily a possible id. */
  readonly pageId: number;
  /** The id of the section; "" for the whole page. */
  readonly section: string;
}

/**
 * Finds include tags: `{{@`, at most one white space, a digit, anything up to `}}` on the same line. Not a regular
 * expression, which would search to the end of the text for each unclosed tag.
 */
export function tagsIn(text: string): IncludeTag[] {
  const tags: IncludeTag[] = [];
  let close = 0;
  let newline = 0;
  for (let start = text.indexOf("{{@"); start >= 0; start = text.indexOf("{{@", start)) {
    const digit = /\s/.test(text[start + 3] ?? "") ? start + 4 : start + 3;
    if (close < digit + 1) close = indexOrEnd(text, "}}", digit + 1);
    if (close === text.length) break;
    if (newline < digit) newline = indexOrEnd(text, "\n", digit);
    if (!/\d/.test(text[digit] ?? "") || newline < close) {
      start += 1;
      continue;
    }
    tags.push({ start, end: close + 2, ...split(text.slice(digit, close)) });
    start = close + 2;
  }
  return tags;
}

/** A text without its include tags. */
export function withoutTags(text: string): string {
  let rest = "";
  let done = 0;
  for (const { start, end } of tagsIn(text)) {
    rest += text.slice(done, start);
    done = end;
  }
  return done === 0 ? text : rest + text.slice(done);
}

function indexOrEnd(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at;
}

function split(inner: string): { inner: string; pageId: number; section: string } {
  const hash = inner.indexOf("#");
  const id = hash < 0 ? inner : inner.slice(0, hash);
  return { inner, pageId: Number.parseInt(id.trim(), 10), section: hash < 0 ? "" : inner.slice(hash + 1).trim() };
}
