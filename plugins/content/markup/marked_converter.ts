/**
 * The converter that plugins and themes change (slot `markdown_converter`): marked, whose output has the format of `markdown.ts`.
 *
 * It differs from CommonMark in white space at the edges of lines and in its output of lists, HTML blocks and hard breaks, which
 * the rules below correct, and in rare nestings of lists, quotes and tables, which stay. It takes more than linear time for hostile
 * input, so texts that are long, deeply nested or full of markers are converted without it.
 */
import { trimEndChars } from "lectern/core";
import { Marked, type MarkedExtension, type Token, type Tokens } from "marked";
import {
  maxLineChars,
  maxLinesPerParagraph,
  maxMarkdownChars,
  maxMarkdownNesting,
  maxMarkersPerParagraph,
} from "./limits.ts";

/** Whether a text is too large, nested or full of markers for a changed converter (limits.ts). */
export function isHeavy(markdown: string): boolean {
  if (markdown.length > maxMarkdownChars) return true;
  let markers = 0;
  let lines = 0;
  for (const line of markdown.split("\n")) {
    const isBlank = line.trim() === "";
    markers = isBlank ? 0 : markers + (line.match(/[*_~`[\]<!|\\&]/g)?.length ?? 0);
    lines = isBlank ? 0 : lines + 1;
    if (markers > maxMarkersPerParagraph || lines > maxLinesPerParagraph) return true;
    if (line.length > maxLineChars || nestingOf(line) > maxMarkdownNesting) return true;
  }
  return false;
}

/** The maximum depth of a line in lists and quotes: each two columns of indentation and each marker count as one level. */
function nestingOf(line: string): number {
  const lead = /^[ \t>*+-]*/.exec(line)?.[0] ?? "";
  if (!/^(?:[>*+-]|\d{1,9}[.)])/.test(lead.trimStart() + line.slice(lead.length))) return 0;
  const columns = lead.replaceAll("\t", "    ").match(/ /g)?.length ?? 0;
  return columns / 2 + (lead.match(/[>*+]|-(?=\s)/g)?.length ?? 0) + (line.match(/\d[.)](?= )/g)?.length ?? 0);
}

/** A new converter with the standard rules, which plugins and themes may change. */
export function newConverter(): Marked {
  return new Marked({ gfm: true }, RULES);
}

const RULES: MarkedExtension = {
  tokenizer: {
    url: () => undefined,
    paragraph(src) {
      const found = this.rules.block.paragraph.exec(src);
      if (!found) return undefined;
      const text = withoutEdges(found[1] ?? "");
      return { type: "paragraph", raw: found[0], text, tokens: this.lexer.inline(text) };
    },
    text(src) {
      const found = this.rules.block.text.exec(src);
      if (!found) return undefined;
      // Blanks at the end may be a hard break, as lines are joined after this; those of the last line are removed in `itemContent`.
      const text = found[0].trimStart();
      return { type: "text", raw: found[0], text, tokens: this.lexer.inline(text) };
    },
    lheading(src) {
      if (!hasUnderline(src)) return undefined;
      const found = this.rules.block.lheading.exec(src);
      if (!found) return undefined;
      const text = withoutEdges(found[1] ?? "");
      const depth = found[2]?.startsWith("=") ? 1 : 2;
      return { type: "heading", raw: found[0], depth, text, tokens: this.lexer.inline(text) };
    },
  },
  renderer: {
    br: () => "<br>\n",
    checkbox: ({ checked }) => `<input ${checked ? "checked " : ""}disabled type="checkbox"> `,
    del({ tokens }) {
      return `<s>${this.parser.parseInline(tokens)}</s>`;
    },
    html: (token) => (token.block ? `${trimEndChars(token.text, "\n")}\n` : token.text),
    image({ href, title, text, tokens }) {
      const alt = tokens ? this.parser.parseInline(tokens, this.parser.textRenderer) : text;
      return `<img src="${attribute(url(href))}" alt="${attribute(alt)}"${titleAttribute(title)}>`;
    },
    link({ href, title, text, tokens, autolink }) {
      const label = autolink ? escaped(text) : this.parser.parseInline(tokens);
      return `<a href="${autolink ? escaped(url(href)) : attribute(url(href))}"${titleAttribute(title)}>${label}</a>`;
    },
    list({ ordered, start, items }) {
      const name = ordered ? "ol" : "ul";
      const from = ordered && start !== 1 ? ` start="${start}"` : "";
      return `<${name}${from}>\n${items.map((item) => this.listitem(item)).join("")}</${name}>\n`;
    },
    listitem(item) {
      const box = item.task ? undefined : tightBox(item);
      const name = item.task || box ? 'li class="task-list-item"' : "li";
      const block = (token: Token): string => this.parser.parse([token]);
      const inline = (tokens: Token[]): string => this.parser.parseInline(tokens);
      const content = itemContent(item, block, inline);
      return `<${name}>${box ? content.replace(BOX, box) : content}</li>\n`;
    },
    table({ header, rows }) {
      const head = row(header.map((cell) => this.tablecell(cell)));
      const body = rows.map((cells) => row(cells.map((cell) => this.tablecell(cell)))).join("");
      return `<table>\n<thead>\n${head}</thead>\n${body && `<tbody>\n${body}</tbody>\n`}</table>\n`;
    },
    tablecell({ header, align, tokens }) {
      const name = header ? "th" : "td";
      return `<${name}${align ? ` align="${align}"` : ""}>${this.parser.parseInline(tokens)}</${name}>\n`;
    },
    text(token) {
      if ("tokens" in token && token.tokens) return this.parser.parseInline(token.tokens);
      const text = token.type === "escape" ? escaped(token.text) : escapeKeepingEntities(token.text);
      return text.replace(/(?<![ \t])[ \t]+\n/g, "\n");
    },
  },
};

const UNDERLINE = /^ {0,3}(?:=+|-+) *$/;
/** Lines that end a paragraph: blank lines, fences, quotes and headings. */
const ENDS_PARAGRAPH = /^(?:\s*$| {0,3}(?:`{3}|~{3}|>|#{1,6}(?:[ \t]|$)))/;

/** Whether the paragraph at the start of a text may be an underlined heading. Avoids marked's pattern, which backtracks. */
function hasUnderline(text: string): boolean {
  for (let at = text.indexOf("\n"); at >= 0; ) {
    const end = text.indexOf("\n", at + 1);
    const line = end < 0 ? text.slice(at + 1) : text.slice(at + 1, end);
    if (UNDERLINE.test(line)) return true;
    if (ENDS_PARAGRAPH.test(line)) return false;
    at = end;
  }
  return false;
}

/** CommonMark strips white space at the start of each line of a paragraph and at its end. */
function withoutEdges(text: string): string {
  return text.replace(/^[ \t]+/gm, "").trimEnd();
}

/** The content of a list item. In a tight item, text has no paragraph; only other blocks are separated by newlines. */
function itemContent(
  item: Tokens.ListItem,
  block: (token: Token) => string,
  inline: (tokens: Token[]) => string,
): string {
  let content = "";
  for (const token of item.tokens) {
    if (token.type === "space" || token.type === "def") continue;
    const isText = token.type === "text" || token.type === "paragraph";
    if (token.type === "checkbox") content += inline([token]);
    else if (isText && !item.loose)
      content += `${content.endsWith("</p>") ? "\n" : ""}${trimEndChars(inline(tokensOf(token)), " \t")}`;
    else if (isText) content += `${content === "" ? "\n" : ""}<p>${trimEndChars(inline(tokensOf(token)), " \t")}</p>\n`;
    else content += `${content.endsWith("\n") ? "" : "\n"}${block(token)}`;
  }
  return content;
}

const BOX = /\[[ xX]\]/;

/**
 * The checkbox of an item whose text follows the bracket without a space, which BookStack's converter treats as a task as
 * well; undefined for other items. A bracket that begins a link is no checkbox.
 */
function tightBox(item: Tokens.ListItem): string | undefined {
  const [first] = item.tokens;
  const [start] = first && (first.type === "text" || first.type === "paragraph") ? tokensOf(first) : [];
  const mark = start?.type === "text" ? /^\[([ xX])\](?=[^\s([:])/.exec(start.raw)?.[1] : undefined;
  return mark && `<input ${mark === " " ? "" : "checked "}disabled type="checkbox">`;
}

function tokensOf(token: Token): Token[] {
  return "tokens" in token && token.tokens ? token.tokens : [];
}

function row(cells: readonly string[]): string {
  return `<tr>\n${cells.join("")}</tr>\n`;
}

function titleAttribute(title: string | null | undefined): string {
  return title ? ` title="${attribute(title)}"` : "";
}

/** Encodes per cent signs that are no part of an encoded character. The serialiser encodes the rest. */
function url(href: string): string {
  return href.replace(/%(?![0-9a-f]{2})/gi, "%25");
}

function attribute(text: string): string {
  return escapeKeepingEntities(text).replaceAll('"', "&quot;");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function escapeKeepingEntities(text: string): string {
  const withEntities = text.replace(/&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|\w{2,31});)/gi, "&amp;");
  return withEntities.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
