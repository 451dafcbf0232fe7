/**
 * Turndown with the rules of content-api 15.6. Elements that Markdown lacks are kept as HTML; text that looks like a tag is
 * escaped, which Turndown does not do, and so is text within kept inline elements, which is read as Markdown again. The
 * conversion is synchronous.
 */
import TurndownService from "turndown";
import { EDITING_RULES, escapedForEditing, tableRules } from "./turndown_editing.ts";

type Rule = TurndownService.Rule;
type TurndownNode = Parameters<NonNullable<Rule["replacement"]>>[1];
/** The members of a DOM element that the rules use. */
interface Element {
  readonly nodeName: string;
  readonly className?: string;
  readonly textContent: string | null;
  readonly outerHTML: string;
  readonly nodeType: number;
  nodeValue: string | null;
  readonly childNodes: ArrayLike<Element>;
  cloneNode(deep: boolean): Element;
  readonly parentNode: Element | null;
  readonly firstChild: Element | null;
  readonly children?: ArrayLike<Element>;
  readonly previousElementSibling: Element | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
}

/** Elements that are converted to Markdown; all others stay HTML. */
const CONVERTED = new Set(
  "P H1 H2 H3 H4 H5 H6 STRONG B EM I UL OL LI INPUT CODE PRE BLOCKQUOTE HR BR A IMG".split(" "),
);

/** Inline elements that stay HTML. Their text is no HTML block, so Markdown in it would be converted. */
const INLINE = new Set(
  "ABBR BDI BDO BIG CITE DATA DEL DFN FONT INS KBD LABEL MARK Q RP RT RUBY S SAMP SMALL SPAN STRIKE SUB SUP TIME TT U VAR".split(
    " ",
  ),
);
const TEXT_NODE = 3;
/** Signs that begin or end something within a line of Markdown. Those of HTML are escaped as HTML. */
const INLINE_SIGNS = /[\\`*_[\]~]/g;

/** A block of code, of a text that a function returns. */
function codeRule(textOf: (text: string) => string): Rule {
  return {
    filter: ["pre"],
    replacement(_content, node) {
      const element = asElement(node);
      const code = element.firstChild?.nodeName === "CODE" ? element.firstChild : element;
      const language = /language-(\S+)/.exec(code.getAttribute("class") ?? "")?.[1] ?? "";
      const text = textOf((code.textContent ?? "").replace(/\u00a0/g, " "));
      const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/^`{3,}/gm)].map(([ticks]) => ticks.length + 1)));
      return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
    },
  };
}

const RULES: Readonly<Record<string, Rule>> = {
  callout: {
    filter: (node) => node.nodeName === "P" && asElement(node).className?.includes("callout") === true,
    replacement: (content, node) =>
      `\n\n<p class="${escaped(asElement(node).className ?? "")}">${content.trim()}</p>\n\n`,
  },
  code: codeRule((text) => text),
  item: {
    filter: ["li"],
    replacement(content, node) {
      const element = asElement(node);
      const list = element.parentNode;
      const text = content.trim().replace(/\n(?=[^\n])/g, "\n    ");
      const mark = list?.nodeName === "OL" ? `${numberOf(element, list)}.` : "-";
      return `${mark} ${text}\n`;
    },
  },
  box: {
    filter: (node) => node.nodeName === "INPUT" && asElement(node).parentNode?.nodeName === "LI",
    replacement: (_content, node) => (asElement(node).hasAttribute("checked") ? "[x] " : "[ ] "),
  },
  details: {
    filter: ["details"],
    replacement: (content, node) => `\n\n<details${openAttribute(node)}>${content.trim()}\n\n</details>\n\n`,
  },
  summary: { filter: ["summary"], replacement: (content) => `<summary>${content.trim()}</summary>\n\n` },
  inline: {
    filter: (node) => INLINE.has(node.nodeName),
    replacement: (_content, node) => withEscapedText(asElement(node)).outerHTML,
  },
  frame: { filter: ["iframe"], replacement: (_content, node) => `${asElement(node).outerHTML}\n\n` },
};

function serviceWith(
  rules: Readonly<Record<string, Rule>>,
  escapeText: (text: string) => string,
  options: TurndownService.Options = {},
): TurndownService {
  const service = new TurndownService({
    headingStyle: "atx",
    hr: "---",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*",
    strongDelimiter: "**",
    ...options,
  });
  const escapeMarkdown = service.escape.bind(service);
  service.escape = (text) => escapeMarkdown(escapeText(text));
  for (const [name, rule] of Object.entries(rules)) service.addRule(name, rule);
  service.keep((node) => !CONVERTED.has(node.nodeName));
  return service;
}

const exporting = serviceWith(RULES, escaped);
const tables = tableRules();
const editing = serviceWith(
  { ...RULES, ...EDITING_RULES, ...tables.rules, code: codeRule((text) => text.replace(/\n$/, "")) },
  escapedForEditing,
  { blankReplacement: tables.blankReplacement },
);

/** Converts HTML to Markdown. Throws RangeError for HTML that is nested too deep. */
export function convert(html: string): string {
  return html.trim() === "" ? "" : exporting.turndown(html).trim();
}

/** The same as an editor writes it: see `turndown_editing.ts`. */
export function convertForEditing(html: string): string {
  return html.trim() === "" ? "" : editing.turndown(html).trim();
}

/** Turndown types its nodes as the browser's, which is not among this project's libraries; the cast narrows to the members used here. */
function asElement(node: TurndownNode | object): Element {
  return node as Element;
}

/** A copy of an element in whose texts Markdown is escaped. */
function withEscapedText(element: Element): Element {
  const copy = element.cloneNode(true);
  const pending = [copy];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.nodeType === TEXT_NODE) node.nodeValue = (node.nodeValue ?? "").replace(INLINE_SIGNS, "\\$&");
    pending.push(...Array.from(node.childNodes));
  }
  return copy;
}

function openAttribute(node: TurndownNode): string {
  return asElement(node).hasAttribute("open") ? " open" : "";
}

function numberOf(item: Element, list: Element): number {
  const start = Number(list.getAttribute("start") ?? 1);
  let position = 0;
  for (let sibling = item.previousElementSibling; sibling; sibling = sibling.previousElementSibling)
    position += sibling.nodeName === "LI" ? 1 : 0;
  return (Number.isInteger(start) ? start : 1) + position;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
