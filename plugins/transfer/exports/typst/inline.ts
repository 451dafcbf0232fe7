/**
 * Running text as Typst: runs of text become string literals, elements become calls around content. White space is
 * collapsed as a browser does it, across the borders of elements. What is unknown is written as what it contains.
 */
import { attribute, type Element, hasClass, isElement, type Node, style, textIn, textOf } from "./dom.ts";
import type { Place } from "./place.ts";
import { colour, literal, quoted } from "./text.ts";

/** Elements with a call of their own. */
const CALLS: Readonly<Record<string, string>> = {
  strong: "strong",
  b: "strong",
  em: "emph",
  i: "emph",
  cite: "emph",
  dfn: "emph",
  var: "emph",
  u: "underline",
  ins: "underline",
  s: "strike",
  del: "strike",
  strike: "strike",
  sub: "sub",
  sup: "super",
  mark: "highlight",
  small: "small",
};
const DROPPED = new Set(["script", "style", "template", "noscript", "head", "title"]);
/** Points a pixel is wide. */
const PIXEL = 0.75;

/** Elements within each other; Typst gives up at more of them, so deeper ones lose their looks. */
const MOST_DEEP = 20;

interface Flow {
  /** Whether the text before ends with a blank, so that the next one is left out. */
  blank: boolean;
  depth: number;
}

/** Nodes as running text. */
export function inline(nodes: readonly Node[], place: Place, flow: Flow = { blank: true, depth: 0 }): string {
  return nodes.map((node) => one(node, place, flow)).join("");
}

function one(node: Node, place: Place, flow: Flow): string {
  const text = textIn(node);
  if (text !== undefined) return run(text, flow);
  if (!isElement(node) || DROPPED.has(node.tagName)) return "";
  flow.depth += 1;
  const shown = flow.depth > MOST_DEEP ? inline(node.childNodes, place, flow) : written(node, place, flow);
  flow.depth -= 1;
  return anchored(node, place) + shown;
}

function run(text: string, flow: Flow): string {
  let shown = text.replace(/[ \t\n\r\f]+/g, " ");
  if (flow.blank && shown.startsWith(" ")) shown = shown.slice(1);
  if (shown !== "") flow.blank = shown.endsWith(" ");
  return literal(shown);
}

function written(element: Element, place: Place, flow: Flow): string {
  const call = CALLS[element.tagName];
  const inner = () => inline(element.childNodes, place, flow);
  if (call !== undefined) return `#${call}[${inner()}];`;
  switch (element.tagName) {
    case "br":
      flow.blank = true;
      return "#linebreak();";
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      flow.blank = false;
      return `#raw(${quoted(textOf(element).replace(/\s+/g, " "))});`;
    case "a":
      return link(element, place, inner());
    case "img":
      flow.blank = false;
      return picture(element, place);
    case "input":
      flow.blank = false;
      return box(element);
    case "wbr":
      // Where an empty box stands a line may end; nobody copies it along.
      return "#box();";
    case "iframe":
    case "video":
    case "audio":
    case "embed":
    case "object":
      return media(element);
    default:
      return coloured(element, inner());
  }
}

/** A place that links lead to. */
export function anchored(element: Element, { book }: Place): string {
  const label = book.anchor(attribute(element, "id") || (element.tagName === "a" ? attribute(element, "name") : ""));
  return label === undefined ? "" : `#[#metadata(none)#label(${quoted(label)})];`;
}

function link(element: Element, { book }: Place, content: string): string {
  const address = attribute(element, "href").trim();
  const label = book.label(address);
  if (label !== undefined) return `#link(label(${quoted(label)}))[${content}];`;
  if (!/^(https?:|mailto:|tel:|ftp:)/i.test(address) || content === "") return content;
  return `#link(${quoted(address.replace(/\s/g, "%20"))})[${content}];`;
}

/** A picture on its line; it keeps its shape, and neither side of it leaves the sheet. */
export function picture(element: Element, { width, height, book }: Place): string {
  const found = book.pictures.get(attribute(element, "src"));
  if (!found) return literal(attribute(element, "alt"));
  const asked = Number.parseFloat(style(element, "width") || attribute(element, "width"));
  const natural = asked > 0 ? asked : found.width;
  const shown = Math.min(width, natural * PIXEL, height * (found.width / found.height));
  return `#box(image(${quoted(found.file)}, width: ${shown.toFixed(1)}pt, alt: ${quoted(attribute(element, "alt"))}));`;
}

function box(element: Element): string {
  if (attribute(element, "type") !== "checkbox") return "";
  const mark = element.attrs.some(({ name }) => name === "checked") ? "#text(size: 7pt)[✓]" : "";
  return `#box(width: 8pt, height: 8pt, stroke: .6pt, baseline: 1pt)[#align(center + horizon)[${mark}]];#h(3pt);`;
}

/** What cannot be printed is told by its address. */
function media(element: Element): string {
  const source = attribute(element, "src") || attribute(element, "data");
  const nested = element.childNodes.find((node) => isElement(node) && node.tagName === "source");
  const address = (source || (nested && isElement(nested) ? attribute(nested, "src") : "")).replace(
    /^\/\//,
    "https://",
  );
  return /^https?:/i.test(address) ? `#link(${quoted(address)})[${literal(address)}];` : "";
}

function coloured(element: Element, content: string): string {
  const [front, back] = [colour(style(element, "color")), colour(style(element, "background-color"))];
  const text = front === undefined ? content : `#text(fill: ${front})[${content}];`;
  if (back !== undefined) return `#highlight(fill: ${back})[${text}];`;
  return hasClass(element, "line-through") ? `#strike[${text}];` : text;
}
