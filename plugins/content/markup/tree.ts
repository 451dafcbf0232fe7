/**
 * Parses HTML, and reads and changes trees.
 *
 * parse5 parses HTML as the content of a body, as browsers do. The parser limits three kinds of growth that hostile input
 * can cause: the depth (recursion later, scope checks for each tag), formatting elements that are repeated in each
 * following block, and the number of elements. A tag beyond a limit is dropped and its text stays. Scripting is disabled,
 * so that the content of noscript is sanitised. `<?…>` and `<![CDATA[…]]>`, which HTML parses as comments, become text, as
 * in BookStack.
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

/** Elements that HTML repeats in each following block while they are open. */
export const FORMATTING: ReadonlySet<string> = new Set([
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

/** HTML elements whose content is text without entities, when parsed and when serialised. */
export const RAW_TEXT_ELEMENTS: ReadonlySet<string> = new Set([
  "script",
  "style",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
  "plaintext",
]);

/** The parser repeats formatting elements in each block from one token. Each element gets its own copy of the attributes. */
const ADAPTER = {
  ...defaultTreeAdapter,
  createElement(tagName: string, namespace: html.NS, attrs: Token.Attribute[]): Element {
    const own = FORMATTING.has(tagName) ? attrs.map((attribute) => ({ ...attribute })) : attrs;
    return defaultTreeAdapter.createElement(tagName, namespace, own);
  },
};

/** The start of what HTML parses as a bogus comment. */
const BOGUS_COMMENT = /<(?:\?|!\[CDATA\[)/;

class LimitedParser extends Parser<Types> {
  #created = 0;
  /** The parsed text, if it may contain bogus comments. */
  source: string | undefined;

  override onStartTag(token: Token.TagToken): void {
    if (token.attrs.length > maxAttributes) token.attrs.length = maxAttributes;
    if (this.#accepts(token.tagName)) super.onStartTag(token);
    // Keeps a newline right after <pre>, so that the stored HTML is what was sent. Browsers skip it.
    this.skipNextNewLine = false;
  }

  override onComment(token: Token.CommentToken): void {
    const start = token.location?.startOffset;
    if (this.source === undefined || start === undefined || this.source.startsWith("<!--", start)) {
      super.onComment(token);
      return;
    }
    if (!BOGUS_COMMENT.test(this.source.slice(start, start + "<![CDATA[".length))) super.onComment(token);
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
    this.#created++;
    super._attachElementToTree(...args);
  }

  override _reconstructActiveFormattingElements(): void {
    if (this.#created < maxElements) super._reconstructActiveFormattingElements();
  }

  #accepts(name: string): boolean {
    if (name === "html" || name === "body" || this.#created >= maxElements) return false;
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

/** Parses HTML as the content of a body, within the limits of limits.ts. Never throws. */
export function parse(source: string): Parent {
  const body = defaultTreeAdapter.createElement("body", html.NS.HTML, []);
  const hasBogusComments = BOGUS_COMMENT.test(source);
  const options: ParserOptions<Types> = {
    scriptingEnabled: false,
    treeAdapter: ADAPTER,
    sourceCodeLocationInfo: hasBogusComments,
  };
  const parser = LimitedParser.getFragmentParser<Types>(body, options) as LimitedParser;
  if (hasBogusComments) parser.source = source;
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

/** The children of a node; for a template, those of its content. */
export function childrenOf(node: Parent): Child[] {
  return "content" in node ? node.content.childNodes : node.childNodes;
}

/** Whether an element is in the HTML namespace, not in that of svg or math. */
export function isHtml(element: Element): boolean {
  return element.namespaceURI === html.NS.HTML;
}

/** Whether the text of a node is raw, as in script and style. */
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

/** The value of an attribute without prefix; undefined if there is none. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name && !attribute.prefix)?.value;
}

/** Sets an attribute; a new one is added at the end. */
export function setAttribute(element: Element, name: string, value: string): void {
  const attribute = element.attrs.find((each) => each.name === name && !each.prefix);
  if (attribute) attribute.value = value;
  else element.attrs.push({ name, value });
}

/** The text of a node, without comments. */
export function textOf(node: Child | Parent): string {
  if ("value" in node) return node.value;
  if (!("childNodes" in node)) return "";
  return childrenOf(node).map(textOf).join("");
}

/** Replaces the children of a node. */
export function setChildren(node: Parent, children: Child[]): void {
  for (const child of children) child.parentNode = node;
  if ("content" in node) node.content.childNodes = children;
  else node.childNodes = children;
}

/** A deep copy of a node, without a parent. */
export function copyOf(node: Child): Child {
  if (!isElement(node)) return { ...node, parentNode: null };
  const copy = emptyCopyOf(node);
  setChildren(copy, childrenOf(node).map(copyOf));
  return copy;
}

/** A copy of an element without its children. */
export function emptyCopyOf(element: Element): Element {
  const { tagName, namespaceURI, attrs } = element;
  const copy = defaultTreeAdapter.createElement(
    tagName,
    namespaceURI,
    attrs.map((attribute) => ({ ...attribute })),
  );
  if ("content" in element) {
    // Every template element has content; the type only knows it once it is set.
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
