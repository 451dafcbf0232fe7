/**
 * Formulas in Markdown: `$…$` within a line, `$$…$$` as a block of its own, where the signs can mean nothing else. Amounts of money, names of
 * variables of a shell and escaped signs are none. Whether a sign is in code, only the converter knows: `usable` says so.
 */

/** A formula of a text. */
export interface Formula {
  /** Its source in TeX, without the signs. */
  readonly tex: string;
  readonly isBlock: boolean;
  /** The numbers of its first and its last sign among all signs of the text. */
  readonly first: number;
  readonly last: number;
}

/** Formulas of one page, beyond which signs stay. */
const MOST_FORMULAS = 300;
/** Characters of one. */
const MOST_CHARS = 3_000;
const SPACE = /\s/;
const WORD = /[\p{L}\p{N}]/u;
const BLANK_LINE = /\n[ \t>]*\n/;
/** Such as the text between the signs of "$5 and 10$". */
const AMOUNT = /^\d[\d.,]*\s+\p{L}{2}/u;

/** The places of all signs of a text. */
export function dollarsIn(markdown: string): number[] {
  return [...markdown.matchAll(/\$/g)].map(({ index }) => index);
}

/** The formulas of a text. `usable` says of a sign, by its number, whether it is in text and not in code. */
export function formulasIn(markdown: string, usable: (dollar: number) => boolean = () => true): Formula[] {
  const at = dollarsIn(markdown);
  const isFree = (dollar: number) => !isEscaped(markdown, at[dollar] ?? 0) && usable(dollar);
  const isPair = (dollar: number) =>
    at[dollar + 1] === (at[dollar] ?? 0) + 1 && at[dollar + 2] !== (at[dollar] ?? 0) + 2 && isFree(dollar);
  const found: Formula[] = [];
  let next = 0;
  while (next < at.length && found.length < MOST_FORMULAS) {
    const first = next;
    const isBlock = isPair(first);
    const last = isBlock ? blockEnd(first) : lineEnd(first);
    next = last === undefined ? first + runOf(first) : last + 1;
    if (last === undefined) continue;
    const width = isBlock ? 2 : 1;
    const tex = markdown.slice((at[first] ?? 0) + width, (at[last] ?? 0) - width + 1).replace(/\n[ \t>]*/g, "\n");
    found.push({ tex: tex.trim(), isBlock, first, last });
  }
  return found;

  /** How many signs stand side by side from one on. */
  function runOf(dollar: number): number {
    let length = 1;
    while (at[dollar + length] === (at[dollar] ?? 0) + length) length++;
    return length;
  }

  function blockEnd(first: number): number | undefined {
    const from = (at[first] ?? 0) + 2;
    for (let dollar = first + 2; dollar < at.length; dollar++) {
      if (!isPair(dollar)) continue;
      const text = markdown.slice(from, at[dollar]);
      return text.length <= MOST_CHARS && text.trim() !== "" && !BLANK_LINE.test(text) ? dollar + 1 : undefined;
    }
    return undefined;
  }

  function lineEnd(first: number): number | undefined {
    const from = (at[first] ?? 0) + 1;
    const before = markdown[from - 2] ?? "";
    if (!isFree(first) || runOf(first) > 1 || WORD.test(before) || SPACE.test(markdown[from] ?? " ")) return undefined;
    let last = first + 1;
    while (last < at.length && isEscaped(markdown, at[last] ?? 0)) last++;
    if (last >= at.length || !isFree(last) || runOf(last) > 1) return undefined;
    const end = at[last] ?? 0;
    const text = markdown.slice(from, end);
    if (SPACE.test(text.at(-1) ?? " ") || WORD.test(markdown[end + 1] ?? "")) return undefined;
    return text.length > MOST_CHARS || BLANK_LINE.test(text) || AMOUNT.test(text) ? undefined : last;
  }
}

function isEscaped(text: string, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === "\\") count++;
  return count % 2 === 1;
}
