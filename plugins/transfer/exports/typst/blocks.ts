/**
 * Blocks as Typst: paragraphs, headings, lists, code, quotes, callouts, tables. A stretch of running text between blocks
 * is a paragraph. What reads from right to left is set so, block by block. Deeper than Typst can follow, blocks lose
 * their frames and keep their texts.
 */
import { asking, directed, start } from "./direction.ts";
import { attribute, type Element, hasClass, isElement, type Node, style, textIn, textOf } from "./dom.ts";
import { anchored, inline } from "./inline.ts";
import { type Place, within } from "./place.ts";
import { table } from "./table.ts";
import { quoted } from "./text.ts";
import { fitted } from "./words.ts";

const BLOCKS = new Set(
  (
    "p div section article header footer main aside nav figure figcaption address center h1 h2 h3 h4 h5 h6 ul ol dl dt dd " +
    "pre blockquote hr table details summary li"
  ).split(" "),
);
const CALLOUTS = { info: "#0288d1", success: "#2e7d32", warning: "#c77700", danger: "#b71c1c" } as const;
const NUMBERING: Readonly<Record<string, string>> = { a: '"a."', A: '"A."', i: '"i."', I: '"I."' };
const LAST_LEVEL = 8;
/** Points of the frame of code. */
const AROUND_CODE = 14;

/** Nodes as blocks, one below the other. */
export function blocks(nodes: readonly Node[], place: Place): string {
  const written: string[] = [];
  let line: Node[] = [];
  const close = () => {
    if (line.length > 0) written.push(paragraph(line, place));
    line = [];
  };
  for (const node of nodes) {
    if (!holdsBlock(node)) {
      line.push(node);
      continue;
    }
    close();
    const element = node as Element;
    written.push(anchored(element, place) + block(element, asking(element, place)));
  }
  close();
  return written.filter((one) => one !== "").join("\n\n");
}

/** Whether a node is a block, or running text around one, such as a link around a table. */
function holdsBlock(node: Node): boolean {
  return isElement(node) && (BLOCKS.has(node.tagName) || node.childNodes.some(holdsBlock));
}

function roomOf({ width, book }: Place) {
  return { width, cuts: book.cuts };
}

function paragraph(nodes: readonly Node[], place: Place): string {
  const content = inline(nodes, place);
  if (content === "") return "";
  return directed(nodes.map(textOf).join(""), place, () => fitted(`#par[${content}]`, roomOf(place)));
}

function block(element: Element, place: Place): string {
  const level = /^h([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) return heading(element, place, Number(level));
  switch (element.tagName) {
    case "p":
      return aligned(
        element,
        framed(element, place, (inner) => blocks(element.childNodes, inner)),
      );
    case "ul":
    case "ol":
      return list(element, place);
    case "pre":
      return code(element, place);
    case "blockquote": {
      const inner = within(place, "blocks", place.width - 14);
      if (!inner) return blocks(element.childNodes, place);
      return directed(textOf(element), inner, (at) => `#quoted${atStart(at)}[${blocks(element.childNodes, at)}]`);
    }
    case "hr":
      return "#line(length: 100%, stroke: .5pt + luma(180))";
    case "table":
      return table(element, place, blocks);
    case "summary":
    case "dt":
      return directed(textOf(element), place, (at) =>
        fitted(`#par[#strong[${inline(element.childNodes, at)}]]`, roomOf(at)),
      );
    case "dd":
      return indented(element, place);
    default:
      return aligned(element, blocks(element.childNodes, place));
  }
}

function heading(element: Element, place: Place, level: number): string {
  const content = inline(element.childNodes, place);
  if (content === "") return "";
  const shown = Math.min(LAST_LEVEL, place.level + level);
  return directed(
    textOf(element),
    place,
    () => `#heading(level: ${shown}, outlined: false, bookmarked: true)[${content}]`,
  );
}

function framed(element: Element, place: Place, write: (inner: Place) => string): string {
  if (!hasClass(element, "callout")) return write(place);
  const inner = within(place, "blocks", place.width - 24);
  if (!inner) return write(place);
  const kind = (Object.keys(CALLOUTS) as (keyof typeof CALLOUTS)[]).find((one) => hasClass(element, one)) ?? "info";
  return directed(textOf(element), inner, (at) => `#callout${atStart(at, `rgb("${CALLOUTS[kind]}")`)}[${write(at)}]`);
}

/** What a call of ours is given, with the side it draws at where that is not the left one. */
function atStart(place: Place, ...given: string[]): string {
  const all = [...given, ...(start(place) === "right" ? ['side: "right"'] : [])];
  return all.length === 0 ? "" : `(${all.join(", ")})`;
}

function aligned(element: Element, written: string): string {
  if (written === "") return "";
  const asked = style(element, "text-align") || attribute(element, "align");
  const side =
    asked === "center" || hasClass(element, "align-center")
      ? "center"
      : asked === "right" || hasClass(element, "align-right")
        ? "right"
        : asked === "left"
          ? "left"
          : "";
  return side === "" ? written : `#align(${side})[${written}]`;
}

function code(element: Element, place: Place): string {
  const first = element.childNodes.find(isElement);
  const language = /(?:^|\s)language-([\w+-]+)/.exec(attribute(first ?? element, "class"))?.[1];
  const text = withBreaks(element).replace(/^\n/, "").replace(/\n$/, "");
  const written = `#raw(${quoted(text)}, block: true${language === undefined ? "" : `, lang: ${quoted(language.toLowerCase())}`})`;
  return fitted(written, { ...roomOf(place), frame: AROUND_CODE });
}

function withBreaks(node: Node | Element): string {
  const text = textIn(node);
  if (text !== undefined) return text;
  if (!isElement(node)) return "";
  return node.tagName === "br" ? "\n" : node.childNodes.map(withBreaks).join("");
}

function indented(element: Element, place: Place): string {
  const inner = within(place, "blocks", place.width - 18);
  if (!inner) return blocks(element.childNodes, place);
  return directed(textOf(element), inner, (at) => `#pad(${start(at)}: 18pt)[${blocks(element.childNodes, at)}]`);
}

function list(element: Element, place: Place): string {
  const inner = within(place, "lists");
  if (inner) return directed(textOf(element), inner, (at) => listOf(element, at));
  return blocks(
    element.childNodes.flatMap((node) => (isElement(node) ? node.childNodes : [])),
    place,
  );
}

function listOf(element: Element, place: Place): string {
  const items = element.childNodes.filter(isElement).map((item) => {
    // A list that stands among items belongs to the one before it; as an item of its own it is still read in place.
    const content = item.tagName === "li" ? item.childNodes : [item];
    const number = /^\d{1,6}$/.exec(attribute(item, "value"))?.[0];
    const at = asking(item, place);
    // The marker stays at the side of the list; texts that ask for nothing follow it.
    const set = { ...at, asked: at.asked ?? place.direction };
    const written = `[${anchored(item, place)}${directed("", set, (inner) => itemContent(content, { ...inner, asked: at.asked }))}]`;
    return element.tagName === "ol" && number !== undefined ? `enum.item(${number})${written}` : written;
  });
  if (items.length === 0) return "";
  return element.tagName === "ol" ? numbered(element, items) : `#list(${items.join(", ")})`;
}

function numbered(element: Element, items: readonly string[]): string {
  const start = /^\d{1,6}$/.exec(attribute(element, "start"))?.[0];
  const numbering = NUMBERING[attribute(element, "type")];
  const settings = [
    ...(start === undefined ? [] : [`start: ${start}`]),
    ...(numbering ? [`numbering: ${numbering}`] : []),
  ];
  return `#enum(${[...settings, ...items].join(", ")})`;
}

/** One line of text needs no paragraph, and none of a paragraph's space. */
function itemContent(nodes: readonly Node[], place: Place): string {
  const first = nodes.findIndex(holdsBlock);
  const lead = first < 0 ? nodes : nodes.slice(0, first);
  const rest = first < 0 ? [] : nodes.slice(first);
  const line = fitted(inline(lead, place), roomOf(place));
  const below = blocks(rest, place);
  return below === "" ? line : `${line}\n${below}`;
}
