/**
 * Renders inline content as Typst: text becomes string literals, elements become function calls around content. White space
 * is collapsed as in browsers, across element boundaries. Unknown elements are replaced by their content.
 */
import { attribute, type Element, hasClass, isElement, type Node, style, textIn, textOf } from "./dom.ts";
import type { LayoutContext } from "./layout.ts";
import { colour, literal, quoted } from "./text.ts";

/** Typst functions by element. */
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
/** Points per CSS pixel. */
const PIXEL = 0.75;
/** CSS pixels per ex, at the size of text that pictures are made for. */
const EX = 8;

/** Typst fails on deeper nesting; elements beyond it are replaced by their content. */
const MAX_DEPTH = 20;

interface Flow {
  /** Whether the output ends with a space, so that a leading space is dropped. */
  endsWithSpace: boolean;
  depth: number;
}

/** Renders nodes as inline content. */
export function inline(
  nodes: readonly Node[],
  layout: LayoutContext,
  flow: Flow = { endsWithSpace: true, depth: 0 },
): string {
  return nodes.map((node) => renderNode(node, layout, flow)).join("");
}

function renderNode(node: Node, layout: LayoutContext, flow: Flow): string {
  const text = textIn(node);
  if (text !== undefined) return renderText(text, flow);
  if (!isElement(node) || DROPPED.has(node.tagName)) return "";
  flow.depth += 1;
  const shown = flow.depth > MAX_DEPTH ? inline(node.childNodes, layout, flow) : renderElement(node, layout, flow);
  flow.depth -= 1;
  return anchorOf(node, layout) + shown;
}

function renderText(text: string, flow: Flow): string {
  let shown = text.replace(/[ \t\n\r\f]+/g, " ");
  if (flow.endsWithSpace && shown.startsWith(" ")) shown = shown.slice(1);
  if (shown !== "") flow.endsWithSpace = shown.endsWith(" ");
  return literal(shown);
}

function renderElement(element: Element, layout: LayoutContext, flow: Flow): string {
  const call = CALLS[element.tagName];
  const inner = () => inline(element.childNodes, layout, flow);
  if (call !== undefined) return `#${call}[${inner()}];`;
  switch (element.tagName) {
    case "br":
      flow.endsWithSpace = true;
      return "#linebreak();";
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      flow.endsWithSpace = false;
      return `#raw(${quoted(textOf(element).replace(/\s+/g, " "))});`;
    case "a":
      return link(element, layout, inner());
    case "img":
      flow.endsWithSpace = false;
      return image(element, layout);
    case "input":
      flow.endsWithSpace = false;
      return checkbox(element);
    case "wbr":
      // An empty box allows a line break and is not copied with the text.
      return "#box();";
    case "iframe":
    case "video":
    case "audio":
    case "embed":
    case "object":
      return media(element);
    default:
      return withColours(element, inner());
  }
}

/** The label of an element that links lead to; "" for none. */
export function anchorOf(element: Element, { document }: LayoutContext): string {
  const label = document.anchor(
    attribute(element, "id") || (element.tagName === "a" ? attribute(element, "name") : ""),
  );
  return label === undefined ? "" : `#[#metadata(none)#label(${quoted(label)})];`;
}

function link(element: Element, { document }: LayoutContext, content: string): string {
  const address = attribute(element, "href").trim();
  const label = document.label(address);
  if (label !== undefined) return `#link(label(${quoted(label)}))[${content}];`;
  if (!/^(https?:|mailto:|tel:|ftp:)/i.test(address) || content === "") return content;
  return `#link(${quoted(address.replace(/\s/g, "%20"))})[${content}];`;
}

/** An inline image, scaled to fit the line and the sheet with its aspect ratio kept. */
export function image(element: Element, { width, height, document }: LayoutContext): string {
  const found = document.images.get(attribute(element, "src"));
  if (!found) return literal(attribute(element, "alt"));
  const requested = Number.parseFloat(style(element, "width") || attribute(element, "width"));
  const natural = requested > 0 ? requested : found.width;
  const shown = Math.min(width, natural * PIXEL, height * (found.width / found.height));
  const lowered = /^-([\d.]{1,8})ex$/.exec(style(element, "vertical-align"))?.[1];
  const baseline = lowered === undefined ? "" : `baseline: ${(Number(lowered) * EX * PIXEL).toFixed(1)}pt, `;
  return `#box(${baseline}image(${quoted(found.file)}, width: ${shown.toFixed(1)}pt, alt: ${quoted(attribute(element, "alt"))}));`;
}

function checkbox(element: Element): string {
  if (attribute(element, "type") !== "checkbox") return "";
  const mark = element.attrs.some(({ name }) => name === "checked") ? "#text(size: 7pt)[✓]" : "";
  return `#box(width: 8pt, height: 8pt, stroke: .6pt, baseline: 1pt)[#align(center + horizon)[${mark}]];#h(3pt);`;
}

/** Media that cannot be printed become a link to their address. */
function media(element: Element): string {
  const source = attribute(element, "src") || attribute(element, "data");
  const nested = element.childNodes.find((node) => isElement(node) && node.tagName === "source");
  const address = (source || (nested && isElement(nested) ? attribute(nested, "src") : "")).replace(
    /^\/\//,
    "https://",
  );
  return /^https?:/i.test(address) ? `#link(${quoted(address)})[${literal(address)}];` : "";
}

function withColours(element: Element, content: string): string {
  const [front, back] = [colour(style(element, "color")), colour(style(element, "background-color"))];
  const text = front === undefined ? content : `#text(fill: ${front})[${content}];`;
  if (back !== undefined) return `#highlight(fill: ${back})[${text}];`;
  return hasClass(element, "line-through") ? `#strike[${text}];` : text;
}
