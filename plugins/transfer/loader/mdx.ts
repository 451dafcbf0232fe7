/**
 * Converts Markdown with components (MDX) to plain Markdown: removes modules, comments and tags of components, keeps and
 * outdents their content, and leaves code unchanged. It relies on conventions instead of parsing JavaScript: expressions in
 * braces other than comments and spaces are kept. In plain Markdown files only known components are replaced, since
 * `<Other>` may be meant literally.
 */
import { linesOf, maskCode } from "./code_spans.ts";
import { isKnownComponent, renderComponent } from "./components.ts";
import { dedent, flattenIndentation, indentOf } from "./indentation.ts";
import { closeOf, type JsxTag, tagAt } from "./jsx_tags.ts";

/** Options of the conversion. */
export interface MdxOptions {
  /** Whether the file is MDX; false for plain Markdown. */
  readonly mdx: boolean;
  /** The Markdown of an imported file by its import path; undefined where there is none. */
  readonly snippet?: (path: string) => string | undefined;
}

interface Conversion extends MdxOptions {
  readonly imports: ReadonlyMap<string, string>;
  readonly depth: number;
  readonly steps: { count: number };
}

const MAX_DEPTH = 20;
const MAX_SNIPPET_DEPTH = 3;

/** Converts the body of a file, without front matter. A snippet is left out within itself. */
export function plainMarkdown(body: string, options: MdxOptions): string {
  return read(body, options, []);
}

/** Converts the body of a file, or of a snippet within others, by their paths. */
function read(body: string, options: MdxOptions, within: readonly string[]): string {
  const { text, imports } = options.mdx ? withoutModules(body) : { text: body, imports: new Map<string, string>() };
  const { snippet } = options;
  const inner =
    snippet === undefined || within.length >= MAX_SNIPPET_DEPTH
      ? undefined
      : (path: string) => {
          const found = within.includes(path) ? undefined : snippet(path);
          return found === undefined ? undefined : read(found, options, [...within, path]);
        };
  const conversion = { mdx: options.mdx, ...(inner ? { snippet: inner } : {}), imports, depth: 0, steps: { count: 0 } };
  return convert(options.mdx ? withoutExpressions(text) : text, conversion).replace(/^\s*\n|\s+$/g, "");
}

const ESM = /^(?:import\s+[\w*{"']|export\s+(?:default|const|let|var|function|async|class|type|interface|\{|\*))/;

/** Removes `import` and `export` statements, which end at the line that closes all their brackets. */
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
    if (!isComplete(statement, line)) continue;
    const [, name, path] = /^import\s+(\w+)\s+from\s+["']([^"']+)["']/.exec(statement) ?? [];
    if (name !== undefined && path !== undefined) imports.set(name, path);
    statement = undefined;
  }
  if (statement !== undefined) kept.push(statement);
  return { text: kept.join("\n"), imports };
}

function isComplete(statement: string, line: string): boolean {
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

function convert(text: string, conversion: Conversion): string {
  if (conversion.depth > MAX_DEPTH) return text;
  const mask = maskCode(text);
  const tags = /<\/?([A-Z][\w.]*)/g;
  let out = "";
  let at = 0;
  for (let found = tags.exec(mask); found; found = tags.exec(mask)) {
    const known = conversion.mdx || isKnownComponent(found[1] ?? "");
    const element = known ? elementAt(text, mask, found) : undefined;
    if (element === undefined) continue;
    out += text.slice(at, found.index);
    const inserted = insertElement(out, element, text, conversion);
    out = inserted.out;
    at = tags.lastIndex = inserted.at;
  }
  out += text.slice(at);
  return conversion.mdx ? flattenIndentation(out) : out;
}

interface Element {
  /** Undefined for a closing tag without an opening tag. */
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

/** Appends an element to the output: as blocks where it begins its line, else its content inline. Returns the output and the offset after it. */
function insertElement(
  before: string,
  { tag, inner, end }: Element,
  text: string,
  conversion: Conversion,
): { out: string; at: number } {
  if (tag === undefined) return { out: before, at: end };
  const raw = text.slice(inner.start, inner.end);
  const lineStart = before.lastIndexOf("\n") + 1;
  const head = before.slice(lineStart);
  const next = {
    ...conversion,
    depth: conversion.depth + 1,
    steps: tag.name === "Steps" ? { count: 0 } : conversion.steps,
  };
  if (head.trim() !== "")
    return { out: before + convert(raw, { ...next, mdx: conversion.mdx && raw.includes("\n") }), at: end };
  const content = contentOf(tag, raw, next);
  const rendered = renderComponent(tag.name, tag.attributes, content, next);
  const kept = before.slice(0, lineStart);
  const indent = " ".repeat(endsInList(kept) ? indentOf(head) : 0);
  const block =
    rendered === ""
      ? ""
      : `\n${rendered
          .split("\n")
          .map((line) => (line === "" ? "" : indent + line))
          .join("\n")}\n\n`;
  return { out: kept + block + (rendered === "" || /^[ \t]*(\n|$)/.test(text.slice(end)) ? "" : indent), at: end };
}

function contentOf(tag: JsxTag, raw: string, conversion: Conversion): string {
  const path = conversion.imports.get(tag.name);
  if (path !== undefined && raw.trim() === "") return conversion.snippet?.(path) ?? "";
  const inline = !/^[ \t]*\n/.test(raw);
  return convert(dedent(raw, inline), conversion).replace(/^\s*\n|\s+$/g, "");
}

/** Whether an indented block after this text would belong to a list item. */
function endsInList(before: string): boolean {
  for (const line of before.split("\n").reverse()) {
    if (line.trim() === "") continue;
    if (/^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line)) return true;
    if (indentOf(line) === 0) return false;
  }
  return false;
}
