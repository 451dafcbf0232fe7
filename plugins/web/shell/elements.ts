/**
 * Changes to the elements of a page: removes what would interfere with the screen around it, adds names for screen readers, and
 * replaces what the Content-Security-Policy does not load. The API has sanitised the HTML before.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html } from "parse5";

/** An element of a page. */
export type Element = DefaultTreeAdapterTypes.Element;
type Child = DefaultTreeAdapterTypes.ChildNode;
type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Texts for screen readers. */
export interface Words {
  readonly table: string;
  readonly done: string;
  readonly open: string;
  readonly picture: string;
  readonly enlarge: string;
  readonly close: string;
  readonly original: string;
  readonly section: string;
  embedded(place: string): string;
}

/** How documents of other sites are shown: in a frame, where that is allowed. */
export interface Frames {
  allows(address: string): boolean;
  framed(element: Element, name: string): Element;
}

/** Attributes that scripts of the screens react to, or that control keys and focus. */
const INTERFERING =
  /^(?:(?:data-)?hx-|data-|sse-|ws-)|^(?:autofocus|accesskey|contenteditable|tabindex|popover|nonce|is|slot)$/;
const OWN_IDS =
  /^(?:main|main-menu|q|dialog|editor|draft-state|(?:preview|field|copy|confirm|home|toc|comments?|attachments)(?:-.*|\d*))$/;
const OWN_CLASSES = /^(?:skip|unseen|needs-script|dropdown|frame|side|top|bottom|menu|actions|notice|crumbs)$/;
/**
 * Elements that may keep a name. Documents and forms expose other named elements as properties that shadow their own (DOM clobbering):
 * `<img name=getElementById>` would replace `document.getElementById`.
 */
const NAMED: ReadonlySet<string> = new Set(["a", "map", "details"]);
/** Elements exposed by their id as well; an id that could be the name of a property is removed. Ids of pages have dashes. */
const LISTED = /^(?:img|input|output|object|embed|iframe|frame|form|button|fieldset|select|textarea|applet)$|-/;
const PROPERTY = /^[A-Za-z_$][\w$]*$/;
/** Properties that a window inherits, which any element shadows by its id. */
const INHERITED: ReadonlySet<string> = new Set(
  [EventTarget.prototype, Object.prototype].flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);
/** Landmark elements, which become `div` elements, as landmarks belong to the screen. */
const LANDMARKS: ReadonlySet<string> = new Set(["main", "header", "footer", "nav", "aside"]);
const FRAMES: ReadonlySet<string> = new Set(["iframe", "object", "embed", "frame"]);

/** Whether a node is an element. */
export function isElement(node: Child | Parent): node is Element {
  return "tagName" in node;
}

/** An attribute's value; undefined where there is none. */
export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((each) => each.name === name && !each.prefix)?.value;
}

/** Sets an attribute. */
export function setAttribute(element: Element, name: string, value: string): void {
  const found = element.attrs.find((each) => each.name === name && !each.prefix);
  if (found) found.value = value;
  else element.attrs.push({ name, value });
}

/** The text within a node. */
export function textOf(node: Child | Parent): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

/** Removes attributes that interfere with the screen; returns whether there were any. */
export function neutralize(element: Element): boolean {
  const before = JSON.stringify(element.attrs);
  element.attrs = element.attrs.flatMap((each) => {
    const name = each.name.toLowerCase();
    if (INTERFERING.test(name) || (name === "id" && OWN_IDS.test(each.value)) || shadows(element, name, each.value))
      return [];
    if (name !== "class") return [each];
    const kept = each.value.split(/\s+/).filter((word) => word !== "" && !OWN_CLASSES.test(word));
    return kept.length === 0 ? [] : [{ ...each, value: kept.join(" ") }];
  });
  return JSON.stringify(element.attrs) !== before;
}

/** Whether an attribute makes the element shadow a property of the document, a form or the window. */
function shadows({ tagName }: Element, name: string, value: string): boolean {
  const tag = tagName.toLowerCase();
  if (name === "name") return !NAMED.has(tag);
  return name === "id" && (INHERITED.has(value) || (LISTED.test(tag) && PROPERTY.test(value)));
}

/** Adapts an element to the screen; returns the element or its replacement. */
export function adapt(element: Element, words: Words, frames: Frames): Element {
  const name = element.tagName;
  if (element.namespaceURI !== html.NS.HTML) return element;
  if (FRAMES.has(name)) return embedded(element, words, frames);
  if (LANDMARKS.has(name)) rename(element, "div");
  if (name === "th" && textOf(element).trim() === "" && !hasImage(element)) rename(element, "td");
  if (name === "img") adaptImage(element);
  if (name === "a") adaptLink(element, words);
  if (name === "input") adaptCheckbox(element, words);
  if ((name === "video" || name === "audio") && attribute(element, "controls") === undefined)
    setAttribute(element, "controls", "");
  if (name === "pre") setAttribute(element, "tabindex", "0");
  return name === "table" ? scrolling(element, words) : element;
}

/** Changes the name of an element. */
export function rename(element: Element, name: string): void {
  element.tagName = element.nodeName = name;
}

function adaptImage(element: Element): void {
  if (attribute(element, "alt") === undefined) setAttribute(element, "alt", "");
  setAttribute(element, "loading", "lazy");
  setAttribute(element, "decoding", "async");
}

/** Names a link that contains only an image without alternative text. */
function adaptLink(element: Element, { picture }: Words): void {
  const href = attribute(element, "href");
  if (attribute(element, "target") !== undefined) setAttribute(element, "rel", "noopener");
  if (href === undefined || textOf(element).trim() !== "" || (attribute(element, "aria-label") ?? "") !== "") return;
  if (hasImage(element, true)) return;
  setAttribute(element, "aria-label", hasImage(element) ? picture : href);
}

function hasImage(node: Parent, isNamed = false): boolean {
  return node.childNodes.some(
    (child) =>
      isElement(child) &&
      ((child.tagName === "img" && (!isNamed || (attribute(child, "alt") ?? "").trim() !== "")) ||
        hasImage(child, isNamed)),
  );
}

/** Disables the checkbox of a task list, and names it by its state. */
function adaptCheckbox(element: Element, { done, open }: Words): void {
  setAttribute(element, "disabled", "");
  setAttribute(element, "aria-label", attribute(element, "checked") === undefined ? open : done);
}

/** Shows a document of another site in a frame where its origin is allowed, else as a link. */
function embedded(element: Element, words: Words, frames: Frames): Element {
  const source = attribute(element, "src") ?? attribute(element, "data") ?? "";
  const isAddress = /^(?:https?:|\/)/i.test(source);
  const name = words.embedded(isAddress && URL.canParse(source) ? new URL(source).host : source);
  if (element.tagName === "iframe" && frames.allows(source)) return frames.framed(element, name);
  const box = defaultTreeAdapter.createElement("p", html.NS.HTML, [{ name: "class", value: "embedded" }]);
  const attrs = [
    { name: "href", value: source },
    { name: "rel", value: "noopener noreferrer" },
  ];
  const link = defaultTreeAdapter.createElement(isAddress ? "a" : "span", html.NS.HTML, isAddress ? attrs : []);
  defaultTreeAdapter.insertText(link, name);
  defaultTreeAdapter.appendChild(box, link);
  return box;
}

/** Wraps a table so that it scrolls horizontally. */
function scrolling(table: Element, words: Words): Element {
  const attrs = [
    { name: "class", value: "scrolls" },
    { name: "tabindex", value: "0" },
    { name: "role", value: "figure" },
    { name: "aria-label", value: words.table },
  ];
  const box = defaultTreeAdapter.createElement("div", html.NS.HTML, attrs);
  defaultTreeAdapter.appendChild(box, table);
  return box;
}
