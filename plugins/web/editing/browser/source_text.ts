/**
 * What the toolbar, keys and menus of the source editor write, in Markdown or in HTML. Each change is one transaction, so that one undo takes
 * it back. Marks around text are toggled by what stands there, and in Markdown by the syntax tree where nothing is selected; signs of
 * blocks, such as `#` and `-`, are toggled line by line.
 */
import { isolateHistory } from "@codemirror/commands";
import { syntaxTree } from "@codemirror/language";
import { type ChangeSpec, EditorSelection, type EditorState, type Line, type TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";

/** The format of a page's source. */
export type Format = "markdown" | "html";

/** What is around text, by the name of the tool; what both formats write the same is HTML. */
const MARKS = {
  bold: { markdown: ["**", "**"], html: ["<strong>", "</strong>"], node: "StrongEmphasis" },
  italic: { markdown: ["*", "*"], html: ["<em>", "</em>"], node: "Emphasis" },
  strike: { markdown: ["~~", "~~"], html: ["<s>", "</s>"], node: "Strikethrough" },
  code: { markdown: ["`", "`"], html: ["<code>", "</code>"], node: "InlineCode" },
  underline: { markdown: ["<u>", "</u>"], html: ["<u>", "</u>"], node: "" },
  sub: { markdown: ["<sub>", "</sub>"], html: ["<sub>", "</sub>"], node: "" },
  sup: { markdown: ["<sup>", "</sup>"], html: ["<sup>", "</sup>"], node: "" },
} as const satisfies Readonly<Record<string, { markdown: Pair; html: Pair; node: string }>>;

type Pair = readonly [before: string, after: string];

/** The name of a mark. */
export type Mark = keyof typeof MARKS;

/** The names of all marks. */
export const MARK_NAMES = Object.keys(MARKS) as Mark[];

/** The kinds of lists. */
export type ListKind = "bullet" | "ordered" | "task";

/** Signs at the beginning of a line of Markdown: indentation and quotes, and the sign of a list with its box. */
const LIST_LINE = /^([\s>]*)((?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)/;
const MARKDOWN_SIGNS = /^[\s>]*(?:#{1,6}\s+|(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)?/;

/** Sends a change as one step of undo. Returns true, as commands of keys do. */
export function change(view: EditorView, spec: TransactionSpec): true {
  view.dispatch({ ...spec, userEvent: "input.tool", annotations: isolateHistory.of("full"), scrollIntoView: true });
  return true;
}

/** The innermost node of a kind around the cursor, or around what is selected. */
export function nodeAround(state: EditorState, name: string | RegExp): SyntaxNode | undefined {
  const { from, to } = state.selection.main;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, 1); node; node = node.parent)
    if (node.to >= to && (typeof name === "string" ? node.name === name : name.test(node.name))) return node;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, -1); node; node = node.parent)
    if (node.to >= to && (typeof name === "string" ? node.name === name : name.test(node.name))) return node;
  return undefined;
}

/** The lines that a selection touches. */
function linesOf({ doc, selection }: EditorState): Line[] {
  const { from, to } = selection.main;
  const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
  return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index));
}

/** The node of a mark around what is selected, as far as the tree of the format has one. */
function markAround(state: EditorState, format: Format, mark: Mark): SyntaxNode | undefined {
  const { node, html } = MARKS[mark];
  if (format === "markdown") return node === "" ? undefined : nodeAround(state, node);
  const element = nodeAround(state, "Element");
  for (let each: SyntaxNode | null | undefined = element; each; each = each.parent)
    if (each.name === "Element" && state.sliceDoc(each.from, each.from + html[0].length) === html[0]) return each;
  return undefined;
}

/** Whether the cursor is within a mark. */
export function isMarked(state: EditorState, format: Format, mark: Mark): boolean {
  return markAround(state, format, mark) !== undefined;
}

/** Puts a mark around what is selected, or takes the one away in which it is. Of several lines, each gets its own. */
export function toggleMark(view: EditorView, format: Format, mark: Mark): boolean {
  const { state } = view;
  const pair = MARKS[mark][format];
  const around = markAround(state, format, mark);
  const [first, last] = [around?.firstChild, around?.lastChild];
  if (first && last && first.from !== last.from)
    return change(view, { changes: [first, last].map(({ from, to }) => ({ from, to })) });
  const lines = linesOf(state);
  if (lines.length > 1) return markLines(view, lines, pair);
  const { from, to } = trimmed(state);
  const inner = state.sliceDoc(from, to);
  const [before, after] = pair;
  const { length } = before;
  if (isWrapped(inner, pair)) {
    const text = inner.slice(length, -after.length);
    return change(view, {
      changes: { from, to, insert: text },
      selection: { anchor: from, head: from + text.length },
    });
  }
  const outer = state.sliceDoc(from - Math.min(from, length), to + after.length);
  if (hasOutside(state, from, to, pair) && outer.length >= length + after.length)
    return change(view, {
      changes: [
        { from: from - length, to: from },
        { from: to, to: to + after.length },
      ],
    });
  return change(view, {
    changes: [
      { from, insert: before },
      { from: to, insert: after },
    ],
    selection: { anchor: from + length, head: to + length },
  });
}

function trimmed(state: EditorState): { from: number; to: number } {
  const { from, to } = state.selection.main;
  const text = state.sliceDoc(from, to);
  if (text.trim() === "") return { from, to };
  return { from: from + text.length - text.trimStart().length, to: to - (text.length - text.trimEnd().length) };
}

function isWrapped(text: string, [before, after]: Pair): boolean {
  if (text.length < before.length + after.length || !text.startsWith(before) || !text.endsWith(after)) return false;
  return isOwnRun(asterisks(text, 1), before) && isOwnRun(asterisks(text, -1), before);
}

function hasOutside(state: EditorState, from: number, to: number, [before, after]: Pair): boolean {
  const left = state.sliceDoc(Math.max(0, from - before.length - 2), from);
  const right = state.sliceDoc(to, to + after.length + 2);
  if (!left.endsWith(before) || !right.startsWith(after)) return false;
  return isOwnRun(asterisks(left, -1), before) && isOwnRun(asterisks(right, 1), before);
}

/** How many asterisks a text begins with, or ends with. */
function asterisks(text: string, direction: 1 | -1): number {
  let count = 0;
  while (text.at(direction > 0 ? count : -1 - count) === "*") count++;
  return count;
}

/** Whether a run of asterisks has the one of this mark: two are bold, one is italic, three are both. */
function isOwnRun(count: number, sign: string): boolean {
  if (sign === "*") return count % 2 === 1;
  return sign !== "**" || count >= 2;
}

function markLines(view: EditorView, lines: readonly Line[], [before, after]: Pair): boolean {
  const { from, to } = view.state.selection.main;
  const parts = lines.flatMap((line) => {
    const signs = MARKDOWN_SIGNS.exec(line.text)?.[0].length ?? 0;
    const [start, end] = [Math.max(from, line.from + signs), Math.min(to, line.from + line.text.trimEnd().length)];
    return end > start ? [{ start, end }] : [];
  });
  const isOn = parts.every(({ start, end }) => isWrapped(view.state.sliceDoc(start, end), [before, after]));
  const changes = parts.flatMap(({ start, end }): ChangeSpec[] =>
    isOn
      ? [
          { from: start, to: start + before.length },
          { from: end - after.length, to: end },
        ]
      : [
          { from: start, insert: before },
          { from: end, insert: after },
        ],
  );
  const set = view.state.changes(changes);
  // What is selected then has its marks, for the same key to take them away.
  return change(view, { changes: set, selection: { anchor: set.mapPos(from, -1), head: set.mapPos(to, 1) } });
}

/** The level of the heading in which the cursor is; 0 in other text. */
export function headingLevel(state: EditorState, format: Format): number {
  const { text } = state.doc.lineAt(state.selection.main.head);
  const found = format === "markdown" ? /^\s{0,3}(#{1,6})(?:\s|$)/.exec(text) : /^\s*<h([1-6])[\s>]/i.exec(text);
  return format === "markdown" ? (found?.[1]?.length ?? 0) : Number(found?.[1] ?? 0);
}

/** Makes headings of lines; level 0 makes them paragraphs. */
export function setHeading(view: EditorView, format: Format, level: number): boolean {
  const { state } = view;
  const changes = linesOf(state).flatMap((line): ChangeSpec[] => {
    if (line.text.trim() === "" && line.length < state.selection.main.to - state.selection.main.from) return [];
    if (format === "markdown") {
      const old = /^\s{0,3}#{1,6}(?:\s+|$)/.exec(line.text)?.[0] ?? "";
      const insert = level === 0 ? "" : `${"#".repeat(level)} `;
      return [{ from: line.from, to: line.from + old.length, insert }];
    }
    const [, indent = "", attributes = "", inner = line.text.trim()] =
      /^(\s*)<(?:p|h[1-6])((?:\s[^>]*)?)>(.*)<\/(?:p|h[1-6])>\s*$/i.exec(line.text) ?? [];
    const tag = level === 0 ? "p" : `h${level}`;
    return [{ from: line.from, to: line.to, insert: `${indent}<${tag}${attributes}>${inner}</${tag}>` }];
  });
  const set = state.changes(changes);
  const isTag = format === "html" && state.selection.main.empty;
  const end = set.mapPos(state.doc.lineAt(state.selection.main.head).to, 1);
  return change(view, {
    changes: set,
    selection: isTag ? EditorSelection.cursor(end - "</h1>".length) : state.selection.map(set, 1),
  });
}

/** The kind of list in which the cursor is. */
export function listKind(state: EditorState): ListKind | undefined {
  const [, , sign] = LIST_LINE.exec(state.doc.lineAt(state.selection.main.head).text) ?? [];
  if (sign === undefined) return undefined;
  if (sign.includes("[")) return "task";
  return /\d/.test(sign) ? "ordered" : "bullet";
}

/** Makes a list of lines, or paragraphs of a list of that kind. */
export function toggleList(view: EditorView, format: Format, kind: ListKind): boolean {
  if (format === "html") return listOfHtml(view, kind);
  const { state } = view;
  const all = linesOf(state);
  const lines = all.length > 1 ? all.filter(({ text }) => text.trim() !== "") : all;
  const isOn = lines.every(({ text }) => {
    const [, , sign] = LIST_LINE.exec(text) ?? [];
    return sign !== undefined && kindOf(sign) === kind;
  });
  const changes = lines.map((line, index) => {
    const [, indent = /^[\s>]*/.exec(line.text)?.[0] ?? "", sign = ""] = LIST_LINE.exec(line.text) ?? [];
    const from = line.from + indent.length;
    const signs = { bullet: "- ", ordered: `${index + 1}. `, task: "- [ ] " };
    return { from, to: from + sign.length, insert: isOn ? "" : signs[kind] };
  });
  const set = state.changes(changes);
  return change(view, { changes: set, selection: state.selection.map(set, 1) });
}

function kindOf(sign: string): ListKind {
  if (sign.includes("[")) return "task";
  return /\d/.test(sign) ? "ordered" : "bullet";
}

function listOfHtml(view: EditorView, kind: ListKind): boolean {
  const lines = linesOf(view.state);
  const box = '<input type="checkbox" disabled> ';
  const items = lines
    .map(({ text }) => text.trim().replace(/^<p(?:\s[^>]*)?>(.*)<\/p>$/i, "$1"))
    .filter((text) => text !== "" || lines.length === 1)
    .map((text) => (kind === "task" ? `<li class="task-list-item">${box}${text}</li>` : `<li>${text}</li>`));
  const tag = kind === "ordered" ? "ol" : "ul";
  const insert = `<${tag}>\n${items.join("\n")}\n</${tag}>`;
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return false;
  return change(view, {
    changes: { from: first.from, to: last.to, insert },
    selection: { anchor: first.from + insert.length - `</li>\n</${tag}>`.length },
  });
}

/** Quotes lines, or ends their quote. */
export function toggleQuote(view: EditorView, format: Format): boolean {
  const { state } = view;
  const lines = linesOf(state);
  if (format === "html") {
    const inner = lines.map(({ text }) => text).join("\n");
    const paragraph = /^\s*</.test(inner) ? inner : `<p>${inner}</p>`;
    const [first, last] = [lines[0], lines.at(-1)];
    if (!first || !last) return false;
    const insert = `<blockquote>${paragraph}</blockquote>`;
    const end = insert.length - (insert.endsWith("</p></blockquote>") ? "</p></blockquote>" : "</blockquote>").length;
    return change(view, {
      changes: { from: first.from, to: last.to, insert },
      selection: { anchor: first.from + end },
    });
  }
  const isOn = lines.every(({ text }) => /^\s{0,3}>/.test(text));
  const changes = lines.map(({ from, text }) => {
    const old = isOn ? (/^\s{0,3}> ?/.exec(text)?.[0].length ?? 0) : 0;
    return { from, to: from + old, insert: isOn ? "" : "> " };
  });
  const set = state.changes(changes);
  return change(view, { changes: set, selection: state.selection.map(set, 1) });
}

/** Indents items of lists by the width of their sign, as nested items begin below the text of the item above, or takes that away. */
export function indentItems(view: EditorView, format: Format, by: 1 | -1): boolean {
  const { state } = view;
  const isCode = format === "markdown" && nodeAround(state, /^(?:FencedCode|CodeBlock)$/) !== undefined;
  const lines = linesOf(state);
  const first = lines[0];
  const isItem = ({ text }: Line) =>
    format === "markdown" ? LIST_LINE.test(text) : /^\s*<(?:li|ul|ol)[\s>]/i.test(text);
  if (!first || !(isCode || isItem(first))) return false;
  const [, indent = "", sign = "  "] = LIST_LINE.exec(first.text) ?? [];
  const quote = /^.*>/.exec(indent)?.[0].length ?? 0;
  const width = isCode || format === "html" ? 2 : sign.replace(/\[.*/, "").length;
  const changes = lines.flatMap((line): ChangeSpec[] => {
    if (line.text.trim() === "") return [];
    if (by > 0) return [{ from: line.from + quote, insert: " ".repeat(width) }];
    const old = /^ */.exec(line.text.slice(quote))?.[0].length ?? 0;
    return [{ from: line.from + quote, to: line.from + quote + Math.min(old, width) }];
  });
  return change(view, { changes });
}
