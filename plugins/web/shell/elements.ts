/**
 * What screens change in the elements of a page: what would reach for the screen around it, what would leave readers who
 * listen without a word, and what the policy of documents would not load. Whether something is harmless was decided before,
 * by the API.
 */
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html } from "parse5";

/** An element of a page. */
export type Element = DefaultTreeAdapterTypes.Element;
type Child = DefaultTreeAdapterTypes.ChildNode;
type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Words that are put into content for those who listen. */
export interface Words {
  readonly table: string;
  readonly done: string;
  readonly open: string;
  readonly picture: string;
  embedded(place: string): string;
}

/** What documents of other sites become: themselves in a frame, where they may be shown. */
export interface Frames {
  allows(address: string): boolean;
  framed(element: Element, name: string): Element;
}

/** Scripts of the screens listen to these, and keys and focus are the screen's. */
const REACHING =
  /^(?:(?:data-)?hx-|data-|sse-|ws-)|^(?:autofocus|accesskey|contenteditable|tabindex|popover|nonce|is|slot)$/;
const OWN_IDS =
  /^(?:main|q|dialog|editor|draft-state|(?:preview|field|copy|confirm|home|toc|comments?|attachments)(?:-.*|\d*))$/;
const OWN_CLASSES = /^(?:skip|unseen|needs-script|dropdown|frame|side|top|bottom|menu|actions|notice|crumbs)$/;
/**
 * A document and a form give what is named in them precedence over what they can do themselves: `<img name=getElementById>`
 * would be what `document.getElementById` answers. Names stay where no document or form looks for them.
 */
const NAMED: ReadonlySet<string> = new Set(["a", "map", "details"]);
/** Forms and documents find these by their id as well; one that could be a property's name goes, ids of pages have dashes. */
const LISTED = /^(?:img|input|output|object|embed|iframe|frame|form|button|fieldset|select|textarea|applet)$|-/;
const PROPERTY = /^[A-Za-z_$][\w$]*$/;
/** A window finds any element by its id before it looks here for its own methods. */
const INHERITED: ReadonlySet<string> = new Set(
  [EventTarget.prototype, Object.prototype].flatMap((prototype) => Object.getOwnPropertyNames(prototype)),
);
/** Landmarks are those of the screen; in content they are boxes. */
const LANDMARKS: ReadonlySet<string> = new Set(["main", "header", "footer", "nav", "aside"]);
const FRAMES: ReadonlySet<string> = new Set(["iframe", "object", "embed", "frame"]);

/** Whether a node is an element of HTML, not of a drawing within it. */
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

/** Takes away what reaches for the screen around the content; answers whether anything was. */
export function unhand(element: Element): boolean {
  const before = JSON.stringify(element.attrs);
  element.attrs = element.attrs.flatMap((each) => {
    const name = each.name.toLowerCase();
    if (REACHING.test(name) || (name === "id" && OWN_IDS.test(each.value)) || shadows(element, name, each.value))
      return [];
    if (name !== "class") return [each];
    const kept = each.value.split(/\s+/).filter((word) => word !== "" && !OWN_CLASSES.test(word));
    return kept.length === 0 ? [] : [{ ...each, value: kept.join(" ") }];
  });
  return JSON.stringify(element.attrs) !== before;
}

/** Whether an attribute would make the element stand in for a method or property of the document, a form or the window. */
function shadows({ tagName }: Element, name: string, value: string): boolean {
  const tag = tagName.toLowerCase();
  if (name === "name") return !NAMED.has(tag);
  return name === "id" && (INHERITED.has(value) || (LISTED.test(tag) && PROPERTY.test(value)));
}

/** Makes one element fit for a screen; answers what stands in its place. */
export function fitted(element: Element, words: Words, frames: Frames): Element {
  const name = element.tagName;
  if (element.namespaceURI !== html.NS.HTML) return element;
  if (FRAMES.has(name)) return embedded(element, words, frames);
  if (LANDMARKS.has(name)) rename(element, "div");
  if (name === "th" && textOf(element).trim() === "" && !hasPicture(element)) rename(element, "td");
  if (name === "img") fitPicture(element);
  if (name === "a") fitLink(element, words);
  if (name === "input") fitBox(element, words);
  if ((name === "video" || name === "audio") && attribute(element, "controls") === undefined)
    setAttribute(element, "controls", "");
  if (name === "pre") setAttribute(element, "tabindex", "0");
  return name === "table" ? scrolling(element, words) : element;
}

/** Gives an element another name, and what it is called with it. */
export function rename(element: Element, name: string): void {
  element.tagName = element.nodeName = name;
}

function fitPicture(element: Element): void {
  if (attribute(element, "alt") === undefined) setAttribute(element, "alt", "");
  setAttribute(element, "loading", "lazy");
}

/** A link around nothing but a picture without words is called by where it leads. */
function fitLink(element: Element, { picture }: Words): void {
  const href = attribute(element, "href");
  if (attribute(element, "target") !== undefined) setAttribute(element, "rel", "noopener");
  if (href === undefined || textOf(element).trim() !== "" || (attribute(element, "aria-label") ?? "") !== "") return;
  if (hasPicture(element, true)) return;
  setAttribute(element, "aria-label", hasPicture(element) ? picture : href);
}

function hasPicture(node: Parent, isNamed = false): boolean {
  return node.childNodes.some(
    (child) =>
      isElement(child) &&
      ((child.tagName === "img" && (!isNamed || (attribute(child, "alt") ?? "").trim() !== "")) ||
        hasPicture(child, isNamed)),
  );
}

/** The box of a task list says how the task stands, and cannot be ticked here. */
function fitBox(element: Element, { done, open }: Words): void {
  setAttribute(element, "disabled", "");
  setAttribute(element, "aria-label", attribute(element, "checked") === undefined ? open : done);
}

/** Documents of other sites are loaded into ours where the operator named them, else linked. */
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

/** A wide table scrolls within itself. */
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
