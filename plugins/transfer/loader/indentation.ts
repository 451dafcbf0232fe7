import { linesOf } from "./code_spans.ts";

const TAB_COLUMNS = 4;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

/** Columns of leading white space; a tab counts as four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const sign of line) {
    if (sign === " ") columns++;
    else if (sign === "\t") columns += TAB_COLUMNS;
    else break;
  }
  return columns;
}

/** Removes up to `columns` columns of leading white space. */
export function outdent(line: string, columns: number): string {
  let left = columns;
  let at = 0;
  while (left > 0 && (line[at] === " " || line[at] === "\t")) left -= line[at++] === "\t" ? TAB_COLUMNS : 1;
  return " ".repeat(Math.max(0, -left)) + line.slice(at);
}

/** Removes common indentation, and blank lines at both ends. With `inline`, the first line followed a tag and is ignored. */
export function dedent(text: string, inline: boolean): string {
  const lines = linesOf(text);
  const counted = lines.filter(
    ({ text, fenced, opens }, index) => text.trim() !== "" && (!fenced || opens) && !(inline && index === 0),
  );
  const shared = Math.min(...counted.map(({ text }) => indentOf(text)));
  if (!Number.isFinite(shared)) return text.trim();
  return lines
    .map(({ text }, index) => (inline && index === 0 ? text.trimStart() : outdent(text, shared)))
    .join("\n")
    .replace(/^(?:[ \t]*\n)+|\s+$/g, "");
}

/**
 * Removes insignificant indentation: MDX has no indented code, so that outside lists leading white space is layout of removed
 * tags. Also collapses blank lines. Code is not changed.
 */
export function flattenIndentation(text: string): string {
  const out: string[] = [];
  let list: number | undefined;
  let fenceShift = 0;
  for (const { text: line, fenced, opens } of linesOf(text)) {
    if (fenced && !opens) {
      out.push(outdent(line, fenceShift));
      continue;
    }
    if (line.trim() === "") {
      if (out.length > 0 && out.at(-1) !== "") out.push("");
      continue;
    }
    const indent = indentOf(line);
    const bare = line.trimStart();
    if (ITEM.test(bare) && (list === undefined || indent <= list)) list = indent;
    else if (list !== undefined && indent <= list && (out.at(-1) === "" || opens)) list = undefined;
    fenceShift = list ?? indent;
    out.push(list === undefined ? bare : outdent(line, list));
  }
  return out.join("\n").trim();
}
