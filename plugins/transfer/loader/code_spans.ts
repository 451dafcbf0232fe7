/** A line of Markdown and its position. */
export interface MarkdownLine {
  readonly text: string;
  /** Offset of its first character in the text. */
  readonly start: number;
  /** Whether it is part of a fenced block, fences included. */
  readonly fenced: boolean;
  /** Whether it is an opening fence. */
  readonly opens: boolean;
}

const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

/** Splits Markdown into lines, marking those of fenced code. */
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
 * Replaces all code (fenced blocks and code spans) by NUL characters of the same length, so that patterns match only outside
 * code, at the offsets of the original text.
 */
export function maskCode(text: string): string {
  const lines = linesOf(text).map(({ text, fenced }) => (fenced ? "\0".repeat(text.length) : text));
  return lines.join("\n").replace(SPAN, (span) => span.replace(/[^\n]/g, "\0"));
}
