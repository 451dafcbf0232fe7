/**
 * The script filter of content-api 9.3, applied to all HTML that is shown. Removes scripts, script URLs, event attributes,
 * iframes with `srcdoc`, form controls and elements that are no content. Classes, styles, tables, ordinary iframes and
 * targets stay; it is a block list. It goes beyond the table of the specification in six points:
 *
 * - URLs are compared without white space and control characters, as browsers compare them.
 * - An attribute with a script or data URL is dropped from any element; a link keeps its text.
 * - Attributes of htmx are dropped, since htmx sends requests on behalf of the reader.
 * - `ping` and style declarations that load a resource are dropped, since they tell other servers who reads the page.
 * - noscript is replaced by its content.
 * - Elements that a browser with scripting parses as raw text are removed or become `pre`.
 *
 * The result is serialised, parsed and filtered again until nothing changes, so that a browser builds the tree that was
 * filtered here (no mutation XSS). If it does not become stable, svg and math are removed, and finally all markup.
 */
import { maxStabilityRounds } from "./limits.ts";
import { safeStyle } from "./sanitize_style.ts";
import { escapeText, serialize } from "./serialize.ts";
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

const REMOVED_ELEMENTS = new Set([
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
/** Attributes whose values are texts, not URLs. */
const TEXT_ATTRIBUTES = new Set([
  "alt",
  "title",
  "class",
  "id",
  "style",
  "summary",
  "label",
  "placeholder",
  "content",
  "name",
]);

/** Removes from a tree what may not be shown (content-api 9.3). Changes the tree; returns whether it changed. */
function sanitizeTree(root: Parent, options?: { foreign: false }): boolean {
  const old = childrenOf(root);
  const kept: Child[] = [];
  let changed = false;
  for (const child of old) {
    if (isElement(child)) {
      if (isForbidden(child) || (options && (child.tagName === "svg" || child.tagName === "math"))) {
        changed = true;
        continue;
      }
      if (sanitizeElement(child)) changed = true;
      if (sanitizeTree(child, options)) changed = true;
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

/** Sanitises a tree and serialises it to HTML that parses to the same tree. Changes the tree. */
export function sanitizedHtml(root: Parent): string {
  return stableHtml(root) ?? stableHtml(root, { foreign: false }) ?? escapeText(textOf(root));
}

/** Sanitised HTML that is stable; undefined if it is not after `maxStabilityRounds`. */
function stableHtml(root: Parent, options?: { foreign: false }): string | undefined {
  sanitizeTree(root, options);
  let written = serialize(root);
  for (let round = 0; round < maxStabilityRounds; round++) {
    const again = parse(written);
    const changed = sanitizeTree(again, options);
    const rewritten = serialize(again);
    if (!changed && rewritten === written) return written;
    written = rewritten;
  }
  return undefined;
}

function isForbidden(element: Element): boolean {
  const name = element.tagName.toLowerCase();
  if (REMOVED_ELEMENTS.has(name) || (name === "title" && isHtml(element))) return true;
  if (name === "input" && attributeOf(element, "type")?.toLowerCase() !== "checkbox") return true;
  if (ANIMATIONS.has(name) && /^(xlink:)?href$|^on/.test(compact(attributeOf(element, "attributeName") ?? ""))) {
    return true;
  }
  return element.attrs.some(({ name, prefix, value }) => !prefix && hasForbiddenUrl(name.toLowerCase(), value));
}

/** Whether an attribute causes its element to be removed. */
function hasForbiddenUrl(name: string, value: string): boolean {
  switch (name) {
    case "srcdoc":
      return true;
    case "href":
      return value.toLowerCase().includes("javascript:");
    case "action":
    case "formaction":
      return hasScriptUrl(value);
    case "src":
    case "data":
      return hasScriptUrl(value) || hasDataUrl(value);
    default:
      return false;
  }
}

function sanitizeElement(element: Element): boolean {
  const kept = element.attrs.filter((attribute) => !isForbiddenAttribute(element, attribute));
  let changed = kept.length < element.attrs.length;
  if (changed) element.attrs = kept;
  if (sanitizeStyle(element)) changed = true;
  if (!isHtml(element)) return changed;
  if (element.tagName === "iframe" && element.childNodes.length > 0) {
    setChildren(element, []);
    return true;
  }
  if (element.tagName !== "xmp" && element.tagName !== "plaintext") return changed;
  element.tagName = element.nodeName = "pre";
  return true;
}

function sanitizeStyle(element: Element): boolean {
  const style = attributeOf(element, "style");
  const safe = style === undefined ? undefined : safeStyle(style);
  if (safe === undefined || safe === style) return false;
  if (safe !== "") setAttribute(element, "style", safe);
  else element.attrs = element.attrs.filter(({ name, prefix }) => name !== "style" || prefix);
  return true;
}

function isForbiddenAttribute(element: Element, attribute: Element["attrs"][number]): boolean {
  const name = attribute.name.toLowerCase();
  const { prefix, value } = attribute;
  if (name.startsWith("on") || /^(?:data-)?hx-/.test(name) || FORM_ATTRIBUTES.has(name) || name.includes("xlink:href"))
    return true;
  if (name === "ping") return true;
  if (prefix === "xlink" && name === "href") return true;
  if (!isHtml(element)) return hasScriptUrl(value) || hasDataUrl(value);
  if (TEXT_ATTRIBUTES.has(name) || name.startsWith("data-") || name.startsWith("aria-")) return false;
  if (name === "srcset" || name === "poster") return hasScriptUrl(value) || hasDataUrl(value);
  if (name === "href" && hasScriptUrl(value)) return true;
  return /^(javascript|vbscript|data):/.test(compact(value));
}

/** Without the characters that browsers ignore in the scheme of a URL, and similar ones that other browsers might ignore. */
function compact(value: string): string {
  return value.replace(/[\0-\x20\x7f-\xa0\xad\s\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]+/g, "").toLowerCase();
}

function hasScriptUrl(value: string): boolean {
  return value.includes(":") && /(javascript|vbscript):/.test(compact(value));
}

function hasDataUrl(value: string): boolean {
  return value.includes(":") && compact(value).includes("data:");
}
