/** One line of Markdown, and where it stands. */
export interface MarkdownLine {
  readonly text: string;
  /** Offset of the first character in the whole text. */
  readonly start: number;
  /** Whether it belongs to a fenced block, its fences included. */
  readonly fenced: boolean;
  /** Whether it is the fence that opens a block. */
  readonly opens: boolean;
}

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

/** The lines of a Markdown text, told apart by whether they are code between fences. */
export function linesOf(text: string): MarkdownLine[] {
  let fence: string | undefined;
  let start = 0;
  return text.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[1];
    const opens = fence === undefined && mark !== undefined;
    const closes = fence !== undefined && CLOSING.exec(line)?.[1]?.startsWith(fence) === true;
    const fenced = opens || fence !== undefined;
    if (opens) fence = mark;
    else if (closes) fence = undefined;
    const at = start;
    start += line.length + 1;
    return { text: line, start: at, fenced, opens };
  });
}

const SPAN = /(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n)[^\0])*?(?<!`)\1(?!`)/g;

/**
 * The same text, equally long, with all code (fenced blocks and code spans) turned into NUL characters: what a pattern
 * finds in the mask is no code, and its offsets hold in the text.
 */
export function maskCode(text: string): string {
  const lines = linesOf(text).map(({ text, fenced }) => (fenced ? "\0".repeat(text.length) : text));
  return lines.join("\n").replace(SPAN, (span) => span.replace(/[^\n]/g, "\0"));
}
