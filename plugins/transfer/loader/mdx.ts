/**
 * Markdown with components (MDX) as Markdown that reads well without them: modules and comments go, the tags of
 * components go, their content stays and moves to the left, code is not touched. It is a reader of habits, not a parser
 * of JavaScript: expressions in braces other than comments and spaces stay as they are. In plain Markdown files only
 * the known components of documentation systems are replaced, since there `<Other>` may be meant.
 */
import { linesOf, maskCode } from "./code_spans.ts";
import { isKnown, renderComponent } from "./components.ts";
import { closeOf, type JsxTag, tagAt } from "./jsx_tags.ts";
import { dedent, indentOf, straighten } from "./straighten.ts";

/** What the conversion needs to know of the file. */
export interface MdxOptions {
  /** Whether the file is MDX; false for plain Markdown. */
  readonly mdx: boolean;
  /** The Markdown of an imported file by the path of its import; undefined where it is none or not there. */
  readonly snippet?: (path: string) => string | undefined;
}

interface Reading extends MdxOptions {
  readonly imports: ReadonlyMap<string, string>;
  readonly depth: number;
  readonly steps: { count: number };
}

const MAX_DEPTH = 20;
const MAX_SNIPPETS_DEEP = 3;

/** Converts the body of a file (front matter taken off). */
export function plainMarkdown(body: string, options: MdxOptions): string {
  return read(body, options, 0);
}

function read(body: string, options: MdxOptions, snippetsDeep: number): string {
  const { text, imports } = options.mdx ? withoutModules(body) : { text: body, imports: new Map<string, string>() };
  const { snippet } = options;
  const inner =
    snippet === undefined || snippetsDeep >= MAX_SNIPPETS_DEEP
      ? undefined
      : (path: string) => {
          const found = snippet(path);
          return found === undefined ? undefined : read(found, options, snippetsDeep + 1);
        };
  const reading = { mdx: options.mdx, ...(inner ? { snippet: inner } : {}), imports, depth: 0, steps: { count: 0 } };
  return convert(options.mdx ? withoutExpressions(text) : text, reading).replace(/^\s*\n|\s+$/g, "");
}

const ESM = /^(?:import\s+[\w*{"']|export\s+(?:default|const|let|var|function|async|class|type|interface|\{|\*))/;

/** Takes `import` and `export` statements off; they end at a line that closes all they opened. */
function withoutModules(body: string): { text: string; imports: Map<string, string> } {
  const imports = new Map<string, string>();
  const kept: string[] = [];
  let statement: string | undefined;
  for (const { text: line, fenced } of linesOf(body)) {
    if (statement === undefined && (fenced || !ESM.test(line))) {
      kept.push(line);
      continue;
    }
    statement = statement === undefined ? line : `${statement}\n${line}`;
    if (!isWhole(statement, line)) continue;
    const [, name, path] = /^import\s+(\w+)\s+from\s+["']([^"']+)["']/.exec(statement) ?? [];
    if (name !== undefined && path !== undefined) imports.set(name, path);
    statement = undefined;
  }
  if (statement !== undefined) kept.push(statement);
  return { text: kept.join("\n"), imports };
}

function isWhole(statement: string, line: string): boolean {
  const open = (statement.match(/[{([]/g) ?? []).length - (statement.match(/[})\]]/g) ?? []).length;
  return open <= 0 && (!/[=,(]\s*$/.test(line) || line.trim() === "");
}

const EXPRESSION =
  /^[ \t]*\{\/\*[\s\S]*?\*\/\}[ \t]*(?:\n|$)|\{\/\*[\s\S]*?\*\/\}|\{\s*(["'])\s*\1\s*\}|(?<=^#.*)[ \t]*\{#[\w-]+\}[ \t]*$/gm;

function withoutExpressions(text: string): string {
  return cut(
    text,
    [...maskCode(text).matchAll(EXPRESSION)].map((found) => ({
      start: found.index,
      end: found.index + found[0].length,
      put: found[1] === undefined ? "" : " ",
    })),
  );
}

function cut(text: string, cuts: readonly { start: number; end: number; put: string }[]): string {
  let at = 0;
  let out = "";
  for (const { start, end, put } of cuts) {
    out += text.slice(at, start) + put;
    at = end;
  }
  return out + text.slice(at);
}

function convert(text: string, reading: Reading): string {
  if (reading.depth > MAX_DEPTH) return text;
  const mask = maskCode(text);
  const tags = /<\/?([A-Z][\w.]*)/g;
  let out = "";
  let at = 0;
  for (let found = tags.exec(mask); found; found = tags.exec(mask)) {
    const known = reading.mdx || isKnown(found[1] ?? "");
    const element = known ? elementAt(text, mask, found) : undefined;
    if (element === undefined) continue;
    out += text.slice(at, found.index);
    const placed = place(out, element, text, reading);
    out = placed.out;
    at = tags.lastIndex = placed.at;
  }
  out += text.slice(at);
  return reading.mdx ? straighten(out) : out;
}

interface Element {
  /** Undefined for a closing tag without an opening one. */
  readonly tag: JsxTag | undefined;
  readonly inner: { readonly start: number; readonly end: number };
  readonly end: number;
}

function elementAt(text: string, mask: string, found: RegExpExecArray): Element | undefined {
  if (found[0].startsWith("</")) {
    const end = mask.indexOf(">", found.index);
    return end === -1 ? undefined : { tag: undefined, inner: { start: end, end }, end: end + 1 };
  }
  const tag = tagAt(text, found.index);
  if (tag === undefined) return undefined;
  const close = tag.closed ? undefined : closeOf(text, mask, tag);
  const inner = { start: tag.end, end: close?.start ?? tag.end };
  return { tag, inner, end: close?.end ?? tag.end };
}

/** Puts an element behind what is there: as blocks where it begins its line, else its bare content into the line. */
function place(
  before: string,
  { tag, inner, end }: Element,
  text: string,
  reading: Reading,
): { out: string; at: number } {
  if (tag === undefined) return { out: before, at: end };
  const raw = text.slice(inner.start, inner.end);
  const lineStart = before.lastIndexOf("\n") + 1;
  const head = before.slice(lineStart);
  const next = { ...reading, depth: reading.depth + 1, steps: tag.name === "Steps" ? { count: 0 } : reading.steps };
  if (head.trim() !== "")
    return { out: before + convert(raw, { ...next, mdx: reading.mdx && raw.includes("\n") }), at: end };
  const content = contentOf(tag, raw, next);
  const rendered = renderComponent(tag.name, tag.attributes, content, next);
  const kept = before.slice(0, lineStart);
  const indent = " ".repeat(inList(kept) ? indentOf(head) : 0);
  const block =
    rendered === ""
      ? ""
      : `\n${rendered
          .split("\n")
          .map((line) => (line === "" ? "" : indent + line))
          .join("\n")}\n\n`;
  return { out: kept + block + (rendered === "" || /^[ \t]*(\n|$)/.test(text.slice(end)) ? "" : indent), at: end };
}

function contentOf(tag: JsxTag, raw: string, reading: Reading): string {
  const path = reading.imports.get(tag.name);
  if (path !== undefined && raw.trim() === "") return reading.snippet?.(path) ?? "";
  const inline = !/^[ \t]*\n/.test(raw);
  return convert(dedent(raw, inline), reading).replace(/^\s*\n|\s+$/g, "");
}

/** Whether a block put here, if indented, would belong to an item of a list. */
function inList(before: string): boolean {
  for (const line of before.split("\n").reverse()) {
    if (line.trim() === "") continue;
    if (/^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line)) return true;
    if (indentOf(line) === 0) return false;
  }
  return false;
}
