/**
 * Renders blocks as Typst: paragraphs, headings, lists, code, quotes, callouts, tables. Inline content between blocks becomes
 * a paragraph. The direction of text is set for each block. Blocks nested deeper than Typst supports lose their frames and
 * keep their text.
 */
import { inDirection, start, withDirection } from "./direction.ts";
import { attribute, type Element, hasClass, isElement, type Node, style, textIn, textOf } from "./dom.ts";
import { anchorOf, inline } from "./inline.ts";
import { type LayoutContext, nest } from "./layout.ts";
import { breakLongWords } from "./long_words.ts";
import { table } from "./table.ts";
import { quoted } from "./text.ts";

const BLOCKS = new Set(
  (
    "p div section article header footer main aside nav figure figcaption address center h1 h2 h3 h4 h5 h6 ul ol dl dt dd " +
    "pre blockquote hr table details summary li"
  ).split(" "),
);
const CALLOUTS = { info: "#0288d1", success: "#2e7d32", warning: "#c77700", danger: "#b71c1c" } as const;
const NUMBERING: Readonly<Record<string, string>> = { a: '"a."', A: '"A."', i: '"i."', I: '"I."' };
const LAST_LEVEL = 8;
/** Width of the frame around code, in points. */
const CODE_FRAME = 14;

/** Renders nodes as blocks, one below the other. */
export function blocks(nodes: readonly Node[], layout: LayoutContext): string {
  const output: string[] = [];
  let line: Node[] = [];
  const close = () => {
    if (line.length > 0) output.push(paragraph(line, layout));
    line = [];
  };
  for (const node of nodes) {
    if (!containsBlock(node)) {
      line.push(node);
      continue;
    }
    close();
    const element = node as Element;
    output.push(anchorOf(element, layout) + block(element, withDirection(element, layout)));
  }
  close();
  return output.filter((one) => one !== "").join("\n\n");
}

/** Whether a node is a block, or an inline element around one, such as a link around a table. */
function containsBlock(node: Node): boolean {
  return isElement(node) && (BLOCKS.has(node.tagName) || node.childNodes.some(containsBlock));
}

function spaceOf({ width, document }: LayoutContext) {
  return { width, budget: document.budget };
}

function paragraph(nodes: readonly Node[], layout: LayoutContext): string {
  const content = inline(nodes, layout);
  if (content === "") return "";
  return inDirection(nodes.map(textOf).join(""), layout, () => breakLongWords(`#par[${content}]`, spaceOf(layout)));
}

function block(element: Element, layout: LayoutContext): string {
  const level = /^h([1-6])$/.exec(element.tagName)?.[1];
  if (level !== undefined) return heading(element, layout, Number(level));
  switch (element.tagName) {
    case "p":
      return aligned(
        element,
        framed(element, layout, (inner) => blocks(element.childNodes, inner)),
      );
    case "ul":
    case "ol":
      return list(element, layout);
    case "pre":
      return code(element, layout);
    case "blockquote": {
      const inner = nest(layout, "blocks", layout.width - 14);
      if (!inner) return blocks(element.childNodes, layout);
      return inDirection(
        textOf(element),
        inner,
        (at) => `#quoted${helperArguments(at)}[${blocks(element.childNodes, at)}]`,
      );
    }
    case "hr":
      return "#line(length: 100%, stroke: .5pt + luma(180))";
    case "table":
      return table(element, layout, blocks);
    case "summary":
    case "dt":
      return inDirection(textOf(element), layout, (at) =>
        breakLongWords(`#par[#strong[${inline(element.childNodes, at)}]]`, spaceOf(at)),
      );
    case "dd":
      return indented(element, layout);
    default:
      return aligned(element, blocks(element.childNodes, layout));
  }
}

function heading(element: Element, layout: LayoutContext, level: number): string {
  const content = inline(element.childNodes, layout);
  if (content === "") return "";
  const shown = Math.min(LAST_LEVEL, layout.level + level);
  return inDirection(
    textOf(element),
    layout,
    () => `#heading(level: ${shown}, outlined: false, bookmarked: true)[${content}]`,
  );
}

function framed(element: Element, layout: LayoutContext, write: (inner: LayoutContext) => string): string {
  if (!hasClass(element, "callout")) return write(layout);
  const inner = nest(layout, "blocks", layout.width - 24);
  if (!inner) return write(layout);
  const kind = (Object.keys(CALLOUTS) as (keyof typeof CALLOUTS)[]).find((one) => hasClass(element, one)) ?? "info";
  return inDirection(
    textOf(element),
    inner,
    (at) => `#callout${helperArguments(at, `rgb("${CALLOUTS[kind]}")`)}[${write(at)}]`,
  );
}

/** The arguments of a helper call, with the side of its frame where that is not the left one. */
function helperArguments(layout: LayoutContext, ...args: string[]): string {
  const all = [...args, ...(start(layout) === "right" ? ['side: "right"'] : [])];
  return all.length === 0 ? "" : `(${all.join(", ")})`;
}

function aligned(element: Element, output: string): string {
  if (output === "") return "";
  const requested = style(element, "text-align") || attribute(element, "align");
  const side =
    requested === "center" || hasClass(element, "align-center")
      ? "center"
      : requested === "right" || hasClass(element, "align-right")
        ? "right"
        : requested === "left"
          ? "left"
          : "";
  return side === "" ? output : `#align(${side})[${output}]`;
}

function code(element: Element, layout: LayoutContext): string {
  const first = element.childNodes.find(isElement);
  const language = /(?:^|\s)language-([\w+-]+)/.exec(attribute(first ?? element, "class"))?.[1];
  const text = withBreaks(element).replace(/^\n/, "").replace(/\n$/, "");
  const output = `#raw(${quoted(text)}, block: true${language === undefined ? "" : `, lang: ${quoted(language.toLowerCase())}`})`;
  return breakLongWords(output, { ...spaceOf(layout), frame: CODE_FRAME });
}

function withBreaks(node: Node | Element): string {
  const text = textIn(node);
  if (text !== undefined) return text;
  if (!isElement(node)) return "";
  return node.tagName === "br" ? "\n" : node.childNodes.map(withBreaks).join("");
}

function indented(element: Element, layout: LayoutContext): string {
  const inner = nest(layout, "blocks", layout.width - 18);
  if (!inner) return blocks(element.childNodes, layout);
  return inDirection(textOf(element), inner, (at) => `#pad(${start(at)}: 18pt)[${blocks(element.childNodes, at)}]`);
}

function list(element: Element, layout: LayoutContext): string {
  const inner = nest(layout, "lists");
  if (inner) return inDirection(textOf(element), inner, (at) => listOf(element, at));
  return blocks(
    element.childNodes.flatMap((node) => (isElement(node) ? node.childNodes : [])),
    layout,
  );
}

function listOf(element: Element, layout: LayoutContext): string {
  const items = element.childNodes.filter(isElement).map((item) => {
    // A list directly within a list is invalid HTML; it is rendered as an item of its own.
    const content = item.tagName === "li" ? item.childNodes : [item];
    const number = /^\d{1,6}$/.exec(attribute(item, "value"))?.[0];
    const at = withDirection(item, layout);
    // The marker stays at the side of the list; items without a direction of their own follow the list.
    const set = { ...at, requested: at.requested ?? layout.direction };
    const body = inDirection("", set, (inner) => itemContent(content, { ...inner, requested: at.requested }));
    const output = `[${anchorOf(item, layout)}${body}]`;
    return element.tagName === "ol" && number !== undefined ? `enum.item(${number})${output}` : output;
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

/** Leading inline content is rendered without a paragraph, to avoid the paragraph's spacing. */
function itemContent(nodes: readonly Node[], layout: LayoutContext): string {
  const first = nodes.findIndex(containsBlock);
  const lead = first < 0 ? nodes : nodes.slice(0, first);
  const rest = first < 0 ? [] : nodes.slice(first);
  const line = breakLongWords(inline(lead, layout), spaceOf(layout));
  const below = blocks(rest, layout);
  return below === "" ? line : `${line}\n${below}`;
}
