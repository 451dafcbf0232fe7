/**
 * How long the server's own process would work on HTML, estimated in one pass over its tags and signs, so that nothing holds up the
 * event loop for longer than `maxOwnMs`: what may take longer goes to a child process. A number of characters alone does not say:
 * a page of 20,000 takes a few milliseconds, and 4,000 that leave twelve formatting elements open in front of a thousand paragraphs
 * took a hundred, as each paragraph repeats them.
 *
 * The weights are those of the slowest texts that `bun test/bench/stalls.ts --grow` and `test/bench/stalls_inputs.ts` have: an ordinary page
 * takes half of its estimate. Only HTML that is closed as it was opened, of elements that mean nothing special to a parser, is judged
 * by its weights alone; other HTML may be parsed several times until it is stable, and has the limits of `odd` beside them.
 */
import { maxOddHtmlChars, maxOddTags, maxOwnHtmlChars, maxOwnMs } from "./limits.ts";
import { FORMATTING, VOID_ELEMENTS } from "./tree.ts";

/** Microseconds of a start tag, or of an end tag that closes nothing, which may make an element too. */
const TAG_US = 7;
/** Microseconds of an end tag that closes the element before it. */
const CLOSING_US = 0.5;
/** Microseconds of a character. */
const CHAR_US = 0.1;
/** Microseconds of a line or a sign that may begin an entity, beside those of a character. */
const SIGN_US = 0.25;

/** The name of a tag, behind its `<`, and what ends it. */
const NAME = /^(\/?[a-z][a-z0-9]*)[\s/>]/i;
/** As many characters as the longest name of `PLAIN` has with its slash, and what ends it. */
const NAME_CHARS = 12;

/** Elements that are parsed alike wherever they are, tables aside, which are closed as they were opened. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre div span a b strong i em u s del ins sub sup small code kbd mark " +
    "br hr img input table caption thead tbody tfoot tr th td section article figure figcaption details summary"
  ).split(" "),
);

/** Whether the server's own process works on HTML: its estimate is not above `maxOwnMs`. */
export function isOwnHtml(html: string): boolean {
  const maxUs = maxOwnMs * 1_000;
  if (html.length > maxOwnHtmlChars) return false;
  let us = html.length * CHAR_US + (count(html, "\n") + count(html, "&")) * SIGN_US;
  /** Elements that are open, with what each tag within them costs more, as HTML may repeat them there. */
  const open: { readonly closing: string; readonly repeatedUs: number }[] = [];
  /** The sum of these, and of those that were never closed. */
  let repeatedUs = 0;
  let tags = 0;
  let isOdd = false;
  for (let at = html.indexOf("<"); at >= 0 && us <= maxUs; at = html.indexOf("<", at + 1)) {
    tags += 1;
    const found = NAME.exec(html.slice(at + 1, at + 1 + NAME_CHARS))?.[1]?.toLowerCase() ?? "";
    const last = open.at(-1);
    if (last && found === last.closing) {
      open.pop();
      repeatedUs -= last.repeatedUs;
      us += CLOSING_US;
      continue;
    }
    us += TAG_US + repeatedUs;
    const more = FORMATTING.has(found) ? TAG_US + lengthAt(html, at) * CHAR_US : 0;
    repeatedUs += more;
    if (!PLAIN.has(found)) isOdd = true;
    else if (!VOID_ELEMENTS.has(found)) open.push({ closing: `/${found}`, repeatedUs: more });
  }
  if (us > maxUs) return false;
  return (!isOdd && open.length === 0) || (html.length <= maxOddHtmlChars && tags <= maxOddTags);
}

/** Characters of the tag that begins at an index, with its attributes. */
function lengthAt(html: string, at: number): number {
  const end = html.indexOf(">", at);
  return (end < 0 ? html.length : end) - at;
}

function count(text: string, sign: string): number {
  let found = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) found += 1;
  return found;
}
