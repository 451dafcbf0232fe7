/**
 * Parsing, and the few steps through a tree that everything else here is made of.
 *
 * HTML is parsed as the content of a body, as a browser would, by parse5. Its tree builder is kept from three kinds of
 * growth that hostile input can ask for: nesting without end (recursion downstream, scope checks per tag), formatting
 * elements that are repeated in each following block, and the number of elements. Beyond a limit a tag is dropped and
 * its text stays. Scripting counts as disabled, so that the content of noscript is visible to the filter. What HTML reads
 * as a comment without being written as one, `<?…>` and `<![CDATA[…]]>`, is text here, as in the original.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, Parser, type ParserOptions, Token } from "parse5";
import { maxAttributes, maxElements, maxFormatting, maxNesting } from "./limits.ts";

/** An element of a tree. */
export type Element = DefaultTreeAdapterTypes.Element;
/** Any node that can be a child. */
export type Child = DefaultTreeAdapterTypes.ChildNode;
/** A node that has children. */
export type Parent = DefaultTreeAdapterTypes.ParentNode;
/** A run of text. */
export type Text = DefaultTreeAdapterTypes.TextNode;

type Types = DefaultTreeAdapterTypes.DefaultTreeAdapterMap;

const FORMATTING = new Set([
  "a",
  "b",
  "big",
  "code",
  "em",
  "font",
  "i",
  "nobr",
  "s",
  "small",
  "strike",
  "strong",
  "tt",
  "u",
]);

/** Elements without content or end tag. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set([
  "area",
  "base",
  "basefont",
  "bgsound",
  "br",
  "col",
  "embed",
  "frame",
  "hr",
  "img",
  "input",
  "keygen",
  "link",
  "meta",
  "param",
  "source",
  "track",
  "wbr",
]);

/** HTML elements whose content is text without entities, both when parsed and when written. */
export const RAW_TEXT_ELEMENTS: ReadonlySet<string> = new Set([
  "script",
  "style",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
  "plaintext",
]);

/** Formatting elements are made again in each block from one token: each gets attributes of its own. */
const ADAPTER = {
  ...defaultTreeAdapter,
  createElement(tagName: string, namespace: html.NS, attrs: Token.Attribute[]): Element {
    const own = FORMATTING.has(tagName) ? attrs.map((attribute) => ({ ...attribute })) : attrs;
    return defaultTreeAdapter.createElement(tagName, namespace, own);
  },
};

/** How what becomes a bogus comment begins. */
const PSEUDO_COMMENT = /<(?:\?|!\[CDATA\[)/;

class CappedParser extends Parser<Types> {
  #made = 0;
  /** What is parsed, where it may hold pseudo comments. */
  source: string | undefined;

  override onStartTag(token: Token.TagToken): void {
    if (token.attrs.length > maxAttributes) token.attrs.length = maxAttributes;
    if (this.#accepts(token.tagName)) super.onStartTag(token);
    // A newline right after <pre> is kept, so that what is stored is what was sent; browsers skip it when showing it.
    this.skipNextNewLine = false;
  }

  override onComment(token: Token.CommentToken): void {
    const start = token.location?.startOffset;
    if (this.source === undefined || start === undefined || this.source.startsWith("<!--", start)) {
      super.onComment(token);
      return;
    }
    if (!PSEUDO_COMMENT.test(this.source.slice(start, start + "<![CDATA[".length))) super.onComment(token);
    else {
      const opening = this.source[start + 1] === "?" ? "<" : "<!";
      this.onCharacter({
        type: Token.TokenType.CHARACTER,
        chars: `${opening}${token.data}>`,
        location: token.location,
      });
    }
  }

  override _attachElementToTree(...args: Parameters<Parser<Types>["_attachElementToTree"]>): void {
    this.#made++;
    super._attachElementToTree(...args);
  }

  override _reconstructActiveFormattingElements(): void {
    if (this.#made < maxElements) super._reconstructActiveFormattingElements();
  }

  #accepts(name: string): boolean {
    if (name === "html" || name === "body" || this.#made >= maxElements) return false;
    if (FORMATTING.has(name) && this.#formattingIsFull()) return false;
    return this.openElements.stackTop < maxNesting || VOID_ELEMENTS.has(name);
  }

  #formattingIsFull(): boolean {
    let entry = this.activeFormattingElements.newest;
    for (let count = 0; count < maxFormatting; count++) {
      if (!entry || !("element" in entry)) return false;
      entry = entry.older;
    }
    return true;
  }
}

/** Parses HTML as the content of a body. Never throws; limits are those of limits.ts. */
export function parse(source: string): Parent {
  const body = defaultTreeAdapter.createElement("body", html.NS.HTML, []);
  const hasPseudoComments = PSEUDO_COMMENT.test(source);
  const options: ParserOptions<Types> = {
    scriptingEnabled: false,
    treeAdapter: ADAPTER,
    sourceCodeLocationInfo: hasPseudoComments,
  };
  const parser = CappedParser.getFragmentParser<Types>(body, options) as CappedParser;
  if (hasPseudoComments) parser.source = source;
  parser.tokenizer.write(source, true);
  return parser.getFragment();
}

/** Whether a node is an element. */
export function isElement(node: Child): node is Element {
  return "tagName" in node;
}

/** Whether a node is a run of text. */
export function isText(node: Child): node is Text {
  return node.nodeName === "#text";
}

/** The children of a node; those of a template are its content. */
export function childrenOf(node: Parent): Child[] {
  return "content" in node ? node.content.childNodes : node.childNodes;
}

/** Whether an element is of HTML, not of svg or math. */
export function isHtml(element: Element): boolean {
  return element.namespaceURI === html.NS.HTML;
}

/** Whether a node's text is raw: script, style and their kind. */
export function isRaw(node: Parent): boolean {
  return "tagName" in node && isHtml(node) && RAW_TEXT_ELEMENTS.has(node.tagName);
}

/** Visits all elements below `node` in document order, parents before children; `depth` of direct children is 0. */
export function eachElement(node: Parent, visit: (element: Element, depth: number) => void, depth = 0): void {
  for (const child of childrenOf(node)) {
    if (!isElement(child)) continue;
    visit(child, depth);
    eachElement(child, visit, depth + 1);
  }
}

/** The value of an attribute, or `undefined`. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name && !attribute.prefix)?.value;
}

/** Sets an attribute, in its place if it exists, else at the end. */
export function setAttribute(element: Element, name: string, value: string): void {
  const attribute = element.attrs.find((each) => each.name === name && !each.prefix);
  if (attribute) attribute.value = value;
  else element.attrs.push({ name, value });
}

/** All text below a node, comments left out. */
export function textOf(node: Child | Parent): string {
  if ("value" in node) return node.value;
  if (!("childNodes" in node)) return "";
  return childrenOf(node).map(textOf).join("");
}

/** Gives a node new children. */
export function setChildren(node: Parent, children: Child[]): void {
  for (const child of children) child.parentNode = node;
  if ("content" in node) node.content.childNodes = children;
  else node.childNodes = children;
}

/** A deep copy of a node, without a parent. */
export function copyOf(node: Child): Child {
  if (!isElement(node)) return { ...node, parentNode: null };
  const copy = shellOf(node);
  setChildren(copy, childrenOf(node).map(copyOf));
  return copy;
}

/** A copy of an element without its children. */
export function shellOf(element: Element): Element {
  const { tagName, namespaceURI, attrs } = element;
  const copy = defaultTreeAdapter.createElement(
    tagName,
    namespaceURI,
    attrs.map((attribute) => ({ ...attribute })),
  );
  if ("content" in element) {
    // Every element named template has content; the type only says so for one that has it already.
    const template = copy as DefaultTreeAdapterTypes.Template;
    defaultTreeAdapter.setTemplateContent(template, defaultTreeAdapter.createDocumentFragment());
  }
  return copy;
}

/** A run of text, without a parent. */
export function textNode(value: string): Text {
  return defaultTreeAdapter.createTextNode(value);
}

/** An HTML element with children. */
export function element(tagName: string, children: Child[]): Element {
  const made = defaultTreeAdapter.createElement(tagName, html.NS.HTML, []);
  setChildren(made, children);
  return made;
}
