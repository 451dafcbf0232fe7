/**
 * Puts tabs back that begin lines of code and of HTML. Bun's converter makes spaces of them, which breaks code that is copied out of a
 * page, such as a Makefile. Its output has lines in the order of the source, so each line of code, and each other line with
 * leading spaces, is looked up among the lines of the source by its text, after the one found before.
 */

/** A line of the source that begins with a tab, perhaps after spaces and markers of quotes. */
const LEADING_TAB = /^[ >]*\t/m;
const TAB_WIDTH = 4;
const CODE_BEGINS = /^<pre><code[^>]*>/;
const CODE_ENDS = "</code></pre>";

/** Lines that end before a line of code may begin: fences, and blank lines before indented code. */
const BEFORE_CODE = /`{3}|~{3}|^[ \t>]*$/;
/** How many lines with the same text are looked at for one after a fence or a blank line. */
const MAX_LOOKED_AT = 8;

/** The converted HTML with the leading tabs of the Markdown that it was made of. Linear in both texts. */
export function withLeadingTabs(html: string, markdown: string): string {
  if (!LEADING_TAB.test(markdown)) return html;
  const lines = new SourceLines(markdown);
  let isCode = false;
  const result = html.split("\n").map((line) => {
    const begin = CODE_BEGINS.exec(line)?.[0] ?? "";
    isCode = (isCode || begin !== "") && !line.startsWith(CODE_ENDS);
    const text = line.slice(begin.length);
    const rest = text.trimStart();
    if (!isCode && rest === text) return line;
    const source = lines.next(unescaped(rest), begin !== "") ?? lines.next(rest, begin !== "");
    return source === undefined ? line : begin + leadOf(source, text.length - rest.length) + rest;
  });
  return result.join("\n");
}

/** Lines by their text without what begins them; each is found once, in order. */
class SourceLines {
  readonly #lines: readonly string[];
  readonly #byText = new Map<string, { readonly at: number[]; done: number }>();
  #last = -1;

  constructor(markdown: string) {
    this.#lines = markdown.split(/\r\n|\n|\r/);
    for (const [at, line] of this.#lines.entries()) {
      for (const text of new Set([line.trimStart(), line.replace(/^[ \t>]+/, "")])) {
        const found = this.#byText.get(text);
        if (found) found.at.push(at);
        else this.#byText.set(text, { at: [at], done: 0 });
      }
    }
  }

  /** The next line with a text; where it is the first of some code, rather one before which code may begin. */
  next(text: string, isFirst: boolean): string | undefined {
    const found = this.#byText.get(text);
    if (!found) return undefined;
    while ((found.at[found.done] ?? Number.POSITIVE_INFINITY) <= this.#last) found.done += 1;
    const candidates = found.at.slice(found.done, found.done + (isFirst ? MAX_LOOKED_AT : 1));
    const at = candidates.find((one) => BEFORE_CODE.test(this.#lines[one - 1] ?? "")) ?? candidates[0];
    if (at === undefined) return undefined;
    this.#last = at;
    return this.#lines[at];
  }
}

/** White space of `width` columns as the source has it at the end of what begins a line; spaces where it has no such columns. */
function leadOf(line: string, width: number): string {
  const lead = /^[ \t>]*/.exec(line)?.[0] ?? "";
  const columns: number[] = [0];
  for (const sign of lead) {
    const column = columns.at(-1) ?? 0;
    columns.push(sign === "\t" ? column + TAB_WIDTH - (column % TAB_WIDTH) : column + 1);
  }
  const begin = (columns.at(-1) ?? 0) - width;
  const at = columns.findIndex((column) => column >= begin);
  const rest = lead.slice(at);
  if (begin < 0 || rest.includes(">")) return " ".repeat(width);
  return " ".repeat((columns[at] ?? 0) - begin) + rest;
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
