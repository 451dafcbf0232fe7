/**
 * Serialises a tree to HTML in the format of libxml2, which BookStack uses. It differs from the HTML standard in quotes,
 * minimised attributes and the encoding of URLs (content-api 9.2). The output parses to the same tree. Recursion is
 * bounded, since the parser bounds the depth of a tree.
 */
import { type Child, childrenOf, type Element, isElement, isHtml, isRaw, type Parent, VOID_ELEMENTS } from "./tree.ts";

/** Attributes that are written without a value, whatever the value is. */
const ALWAYS_MINIMISED = new Set([
  "checked",
  "compact",
  "declare",
  "defer",
  "disabled",
  "ismap",
  "multiple",
  "nohref",
  "noresize",
  "noshade",
  "nowrap",
  "readonly",
  "selected",
]);

/** Attributes that are written without a value if it is empty; others get `=""`, as in `alt=""`. */
const MINIMISED_IF_EMPTY = new Set([
  "allowfullscreen",
  "async",
  "autofocus",
  "autoplay",
  "contenteditable",
  "controls",
  "default",
  "download",
  "hidden",
  "inert",
  "itemscope",
  "loop",
  "muted",
  "novalidate",
  "open",
  "playsinline",
  "required",
  "reversed",
]);

const URL_ATTRIBUTES = new Set(["href", "src", "action"]);

type Attribute = Element["attrs"][number];

/**
 * Serialises the content of a node (content-api 9.2): double quotes unless the value contains some, void elements without
 * slash, boolean attributes minimised, `&amp; &lt; &gt; &nbsp;` as the only entities, URLs percent-encoded.
 */
export function serialize(node: Parent): string {
  const parts: string[] = [];
  writeAll(node, parts);
  return parts.join("");
}

function writeAll(node: Parent, parts: string[]): void {
  const raw = isRaw(node);
  for (const child of childrenOf(node)) write(child, raw, parts);
}

function write(node: Child, raw: boolean, parts: string[]): void {
  if (isElement(node)) writeElement(node, parts);
  else if ("value" in node) parts.push(raw ? node.value : escapeText(node.value));
  else if ("data" in node) parts.push("<!--", node.data, "-->");
}

function writeElement(element: Element, parts: string[]): void {
  const name = element.tagName;
  parts.push("<", name);
  for (const attribute of element.attrs) parts.push(" ", attributeText(element, attribute));
  parts.push(">");
  if (isHtml(element) && VOID_ELEMENTS.has(name)) return;
  writeAll(element, parts);
  parts.push("</", name, ">");
}

function attributeText(element: Element, attribute: Attribute): string {
  const name = attribute.prefix ? `${attribute.prefix}:${attribute.name}` : attribute.name;
  if (ALWAYS_MINIMISED.has(name) || (attribute.value === "" && MINIMISED_IF_EMPTY.has(name))) return name;
  const isUrl = URL_ATTRIBUTES.has(name) || (name === "name" && element.tagName === "a");
  return `${name}=${quote(isUrl ? encodeUrl(attribute.value) : attribute.value)}`;
}

function quote(value: string): string {
  const escaped = escapeText(value);
  if (!value.includes('"')) return `"${escaped}"`;
  return value.includes("'") ? `"${escaped.replaceAll('"', "&quot;")}"` : `'${escaped}'`;
}

/** Text with `& < >` and U+00A0 as entities. */
export function escapeText(text: string): string {
  if (!/[&<>\u00a0]/.test(text)) return text;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\u00a0", "&nbsp;");
}

/**
 * A URL as libxml2 writes it: without leading white space, and percent-encoded except for unreserved characters and
 * `@ / : = ? ; # % & , +`, so existing encodings stay.
 */
export function encodeUrl(url: string): string {
  const trimmed = url.replace(/^[ \t\r\n]+/, "");
  if (!/[^\w\-.!~*'()@/:=?;#%&,+]/.test(trimmed)) return trimmed;
  return trimmed.toWellFormed().replace(/[^\w\-.!~*'()@/:=?;#%&,+]+/g, encodeURIComponent);
}
