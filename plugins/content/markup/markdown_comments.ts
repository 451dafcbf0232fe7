/**
 * The HTML of comments that are written in Markdown: running text, lists, quotes, code and tables, without attributes but those of links.
 * What Markdown can say beyond that is said with these, so that no word is lost: a heading, which would be one of the page's outline,
 * becomes a bold line, a picture a link to it, a task its sign. HTML is shown as it was typed, and so are line breaks, as people expect of
 * a comment.
 */
import { commentToHtml } from "./markdown.ts";
import { serialize } from "./serialize.ts";
import {
  attributeOf,
  type Child,
  childrenOf,
  type Element,
  element,
  isElement,
  isText,
  type Parent,
  parse,
  setAttribute,
  setChildren,
  textNode,
} from "./tree.ts";

const INLINE: ReadonlySet<string> = new Set("a strong em br code s".split(" "));
/** What the converter makes of Markdown, headings, pictures and boxes of tasks aside. */
const KEPT: ReadonlySet<string> = new Set([
  ..."p ol ul li blockquote pre hr table thead tbody tr th td".split(" "),
  ...INLINE,
]);
const LINK_ATTRIBUTES: ReadonlySet<string> = new Set(["href", "title"]);

/** The HTML to store of a comment in Markdown. */
export function commentOfMarkdown(markdown: string): string {
  const tree = parse(commentToHtml(markdown));
  setChildren(tree, keptOf(tree, false).filter(isElement));
  return serialize(tree);
}

/** What a comment has of the children of a node. */
function keptOf(node: Parent, isCode: boolean): Child[] {
  const children = childrenOf(node);
  return children.flatMap((child, at) => {
    if (!isText(child)) return isElement(child) ? keptElement(child, isCode) : [];
    return isCode ? [child] : withBreaks(child.value, { follows: children[at - 1], precedes: children[at + 1] });
  });
}

function keptElement(node: Element, isCode: boolean): Child[] {
  const { tagName } = node;
  if (tagName === "img") return pictureLink(attributeOf(node, "src") ?? "", attributeOf(node, "alt") ?? "");
  if (tagName === "input") return [textNode(attributeOf(node, "checked") === undefined ? "☐" : "☑")];
  const children = keptOf(node, isCode || tagName === "pre" || tagName === "code");
  if (/^h[1-6]$/.test(tagName)) return [element("p", [element("strong", children)])];
  if (!KEPT.has(tagName)) return children;
  node.attrs = tagName === "a" ? node.attrs.filter(({ name }) => LINK_ATTRIBUTES.has(name)) : [];
  setChildren(node, children);
  return [node];
}

/** A text with an element for each line break that is between words. */
function withBreaks(
  text: string,
  { follows, precedes }: { readonly follows: Child | undefined; readonly precedes: Child | undefined },
): Child[] {
  const lines = text.split("\n");
  const [first, last] = [lines.findIndex(hasWords), lines.findLastIndex(hasWords)];
  return lines.flatMap((line, at): Child[] => {
    if (at === 0) return line === "" ? [] : [textNode(line)];
    const isAfter = (first >= 0 && first < at) || (isInline(follows) && follows.tagName !== "br");
    const isBefore = last >= at || isInline(precedes);
    return [...(isAfter && isBefore ? [element("br", [])] : []), textNode(`\n${line}`)];
  });
}

function hasWords(line: string): boolean {
  return line.trim() !== "";
}

function isInline(node: Child | undefined): node is Element {
  return node !== undefined && isElement(node) && (INLINE.has(node.tagName) || node.tagName === "img");
}

function pictureLink(address: string, description: string): Child[] {
  const shown = description.trim() || address;
  if (address === "") return shown === "" ? [] : [textNode(shown)];
  const link = element("a", [textNode(shown)]);
  setAttribute(link, "href", address);
  return [link];
}
