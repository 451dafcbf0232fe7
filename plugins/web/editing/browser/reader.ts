/**
 * Reads HTML into a document of the editor. Elements that no node fits are kept whole: as a node that holds their HTML, which the editor
 * shows and does not change. Those are elements such as frames and drawings, and any others whose structure the schema would
 * change, such as a link around paragraphs, or a list with text between its items.
 */
import { Fragment, DOMParser as ModelParser, type Node, type Schema } from "@tiptap/pm/model";
import { differs } from "./compare.ts";
import { BLOCKS, LEAVES, WHOLE } from "./elements.ts";
import { inertDocument, realHtml } from "./inert.ts";
import { toHtml } from "./writer.ts";

/** The name of an element that stands for inline HTML that is kept whole. */
export const KEPT_INLINE = "lectern-kept";
/** The same for blocks. */
export const KEPT_BLOCK = "lectern-kept-block";

/** Elements that are content of an inline element without text. */
const SHOWN_WITHIN = [...LEAVES, ...WHOLE, "input"].join(",");

/** A document, and how many of its blocks had to be kept whole since the schema would have changed them. */
export interface ReadResult {
  readonly doc: Node;
  readonly keptBlocks: number;
}

/** Reads a page's HTML, so that writing it gives the same tree. */
export function readHtml(schema: Schema, html: string): ReadResult {
  const doc = parsed(schema, html);
  if (!differs(html, toHtml(doc))) return { doc, keptBlocks: 0 };
  const { body } = inertDocument(html);
  let keptBlocks = 0;
  for (const child of [...body.children]) {
    const before = realHtml(child.outerHTML);
    if (!differs(before, toHtml(parsed(schema, before)))) continue;
    child.replaceWith(holder(child));
    keptBlocks++;
  }
  return { doc: parsed(schema, realHtml(body.innerHTML)), keptBlocks };
}

/** The document of a page without content: what is typed into it gets a paragraph of its own. */
export function emptyDocument(schema: Schema): Node {
  return schema.node("doc", null, schema.node("paragraph"));
}

function parsed(schema: Schema, html: string): Node {
  const { body } = inertDocument(html);
  keepWhole(body);
  return withBareParagraphs(ModelParser.fromSchema(schema).parse(body));
}

/** Paragraphs that the parser has made around inline content have no element, and get none. */
function withBareParagraphs(node: Node): Node {
  if (node.isTextblock) {
    const isMade = node.type.name === "paragraph" && node.attrs.form === "auto";
    return isMade ? node.type.create({ ...node.attrs, form: "bare" }, trimmed(node.content), node.marks) : node;
  }
  if (node.isLeaf) return node;
  const children: Node[] = [];
  node.forEach((child) => {
    children.push(withBareParagraphs(child));
  });
  return node.copy(Fragment.fromArray(children));
}

/** Inline content without the space that stood between it and the block before. */
function trimmed(content: Fragment): Fragment {
  const [, space = ""] = /^( +)/.exec(content.firstChild?.text ?? "") ?? [];
  return content.cut(space.length);
}

/** Replaces elements that no node fits by elements that hold their HTML. Changes the tree. */
export function keepWhole(root: Element): void {
  for (const child of [...root.children]) {
    if (child.localName === KEPT_INLINE || child.localName === KEPT_BLOCK) continue;
    if (isWhole(child)) child.replaceWith(holder(child));
    else keepWhole(child);
  }
}

function holder(element: Element): Element {
  const isBlock = BLOCKS.has(element.localName) || holdsBlocks(element);
  const made = element.ownerDocument.createElement(isBlock ? KEPT_BLOCK : KEPT_INLINE);
  made.setAttribute("html", realHtml(element.outerHTML));
  return made;
}

function isWhole(element: Element): boolean {
  const { localName: name, children } = element;
  const all = [...children];
  if (WHOLE.has(name) || element.namespaceURI !== "http://www.w3.org/1999/xhtml") return true;
  switch (name) {
    case "input":
      return element.getAttribute("type")?.toLowerCase() !== "checkbox";
    case "p":
    case "pre":
    case "summary":
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return holdsBlocks(element);
    case "ul":
    case "ol":
      return all.length === 0 || all.some((child) => child.localName !== "li") || hasText(element);
    case "li":
      return !/^(?:ul|ol)$/.test(element.parentElement?.localName ?? "");
    case "details":
      return all.some((child, index) => child.localName === "summary" && (index > 0 || hasTextBefore(child)));
    case "table":
      return isOddTable(element as HTMLTableElement);
    default:
      if (BLOCKS.has(name) || LEAVES.has(name)) return false;
      return (
        holdsBlocks(element) ||
        (element.parentElement?.localName !== "pre" &&
          element.textContent === "" &&
          element.querySelector(SHOWN_WITHIN) === null)
      );
  }
}

/** A table without rows, or with a part in which the rows of the editor have no place. */
function isOddTable({ rows, children }: HTMLTableElement): boolean {
  const parts = [...children];
  const hasEmptyPart = parts.some(
    ({ localName, children: rows }) => /^(?:thead|tbody|tfoot)$/.test(localName) && rows.length === 0,
  );
  return rows.length === 0 || hasEmptyPart || [...rows].some(({ cells }) => cells.length === 0);
}

function holdsBlocks(element: Element): boolean {
  return [...element.querySelectorAll("*")].some(({ localName }) => BLOCKS.has(localName));
}

function hasText(element: Element): boolean {
  return [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && /\S/.test(nodeValue ?? ""));
}

function hasTextBefore(element: Element): boolean {
  for (let at = element.previousSibling; at; at = at.previousSibling)
    if (at.nodeType === 3 && /\S/.test(at.nodeValue ?? "")) return true;
  return false;
}
