/**
 * The script filter of content-api 9.3, for everything that is shown: scripts, script URLs, event attributes, frames
 * with documents, form controls, and elements that are no content, are removed; classes, styles, tables, ordinary
 * frames and targets stay, as there is no allow-list. Six things go beyond the table: URLs are compared without white space
 * and control characters, as browsers do; attributes that hold a script or data URL are dropped wherever they stand, and
 * a link keeps its text; so are those by which htmx sends requests on its own, in the reader's name; `ping` and the
 * declarations of a style that load something tell others who reads; noscript gives way to its content; and elements
 * that a browser with scripting reads as raw text are removed or turned into `pre`.
 *
 * Filtered HTML is written, parsed and filtered again until nothing changes, so that what a browser builds from it is
 * what was judged here. Should it never come to rest, first svg and math go, then all markup.
 */
import { maxSettling } from "./limits.ts";
import { escapeText, serialize } from "./serialize.ts";
import { safeStyle } from "./style.ts";
import {
  attributeOf,
  type Child,
  childrenOf,
  type Element,
  isElement,
  isHtml,
  type Parent,
  parse,
  setAttribute,
  setChildren,
  textOf,
} from "./tree.ts";

const DROPPED = new Set([
  "script",
  "form",
  "fieldset",
  "button",
  "textarea",
  "select",
  "link",
  "style",
  "meta",
  "template",
  "base",
  "noembed",
  "noframes",
]);
const FORM_ATTRIBUTES = new Set(["form", "formaction", "formenctype", "formmethod", "formnovalidate", "formtarget"]);
const ANIMATIONS = new Set(["animate", "set", "animatetransform", "animatemotion"]);
const WORDS = new Set(["alt", "title", "class", "id", "style", "summary", "label", "placeholder", "content", "name"]);

/** Removes from a tree what may not be shown (content-api 9.3). Changes the tree; answers whether anything went. */
export function filterTree(root: Parent, options?: { foreign: false }): boolean {
  const old = childrenOf(root);
  const kept: Child[] = [];
  let changed = false;
  for (const child of old) {
    if (isElement(child)) {
      if (isBad(child) || (options && (child.tagName === "svg" || child.tagName === "math"))) {
        changed = true;
        continue;
      }
      if (cleanElement(child)) changed = true;
      if (filterTree(child, options)) changed = true;
      if (child.tagName === "noscript") {
        changed = true;
        kept.push(...childrenOf(child));
        continue;
      }
    }
    kept.push(child);
  }
  if (changed) setChildren(root, kept);
  return changed;
}

/** Filters a tree and writes it in a form that parses back to itself. Changes the tree. */
export function safeTree(root: Parent): string {
  return settle(root) ?? settle(root, { foreign: false }) ?? escapeText(textOf(root));
}

function settle(root: Parent, options?: { foreign: false }): string | undefined {
  filterTree(root, options);
  let written = serialize(root);
  for (let round = 0; round < maxSettling; round++) {
    const again = parse(written);
    const changed = filterTree(again, options);
    const rewritten = serialize(again);
    if (!changed && rewritten === written) return written;
    written = rewritten;
  }
  return undefined;
}

function isBad(element: Element): boolean {
  const name = element.tagName.toLowerCase();
  if (DROPPED.has(name) || (name === "title" && isHtml(element))) return true;
  if (name === "input" && attributeOf(element, "type")?.toLowerCase() !== "checkbox") return true;
  if (ANIMATIONS.has(name) && /^(xlink:)?href$|^on/.test(compact(attributeOf(element, "attributeName") ?? ""))) {
    return true;
  }
  return element.attrs.some(({ name, prefix, value }) => !prefix && isBadAttribute(name.toLowerCase(), value));
}

function isBadAttribute(name: string, value: string): boolean {
  switch (name) {
    case "srcdoc":
      return true;
    case "href":
      return value.toLowerCase().includes("javascript:");
    case "action":
    case "formaction":
      return runs(value);
    case "src":
    case "data":
      return runs(value) || hasData(value);
    default:
      return false;
  }
}

function cleanElement(element: Element): boolean {
  const kept = element.attrs.filter((attribute) => !mustGo(element, attribute));
  let changed = kept.length < element.attrs.length;
  if (changed) element.attrs = kept;
  if (cleanStyle(element)) changed = true;
  if (!isHtml(element)) return changed;
  if (element.tagName === "iframe" && element.childNodes.length > 0) {
    setChildren(element, []);
    return true;
  }
  if (element.tagName !== "xmp" && element.tagName !== "plaintext") return changed;
  element.tagName = element.nodeName = "pre";
  return true;
}

function cleanStyle(element: Element): boolean {
  const style = attributeOf(element, "style");
  const safe = style === undefined ? undefined : safeStyle(style);
  if (safe === undefined || safe === style) return false;
  if (safe !== "") setAttribute(element, "style", safe);
  else element.attrs = element.attrs.filter(({ name, prefix }) => name !== "style" || prefix);
  return true;
}

function mustGo(element: Element, attribute: Element["attrs"][number]): boolean {
  const name = attribute.name.toLowerCase();
  const { prefix, value } = attribute;
  if (name.startsWith("on") || /^(?:data-)?hx-/.test(name) || FORM_ATTRIBUTES.has(name) || name.includes("xlink:href"))
    return true;
  if (name === "ping") return true;
  if (prefix === "xlink" && name === "href") return true;
  if (!isHtml(element)) return runs(value) || hasData(value);
  if (WORDS.has(name) || name.startsWith("data-") || name.startsWith("aria-")) return false;
  if (name === "srcset" || name === "poster") return runs(value) || hasData(value);
  if (name === "href" && runs(value)) return true;
  return /^(javascript|vbscript|data):/.test(compact(value));
}

// What browsers leave out of the scheme of a URL, and more of the kind, so that no gap opens with the next browser.
function compact(value: string): string {
  return value.replace(/[\0-\x20\x7f-\xa0\xad\s\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]+/g, "").toLowerCase();
}

function runs(value: string): boolean {
  return value.includes(":") && /(javascript|vbscript):/.test(compact(value));
}

function hasData(value: string): boolean {
  return value.includes(":") && compact(value).includes("data:");
}
