/** An include tag found in text (content-api 9.4). */
export interface IncludeTag {
  /** Where it starts in the text. */
  readonly start: number;
  /** Where the text goes on after it. */
  readonly end: number;
  /** What stands between `{{@` and `}}`. */
  readonly inner: string;
  /** The id of the page it names; may be no possible id. */
  readonly pageId: number;
  /** The id of the section it names, `""` for the whole page. */
  readonly section: string;
}

/**
 * Finds include tags: `{{@`, optional white space, a digit, anything up to `}}` on the same line. Searched by hand, as
 * a regular expression would read to the end once for each tag that is never closed.
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

/** Text with its include tags taken out. */
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
