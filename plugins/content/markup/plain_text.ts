import { trimChars } from "lectern/core";
import { type Child, childrenOf, isRaw, type Parent } from "./tree.ts";

/** What BookStack trims, as PHP does. */
export const TRIMMED = " \t\n\r\0\v";

const INLINE = new Set([
  "a",
  "b",
  "i",
  "u",
  "strong",
  "em",
  "small",
  "sup",
  "sub",
  "span",
  "div",
  "#document-fragment",
]);

/**
 * The plain text of a tree (content-api 15.5 @25): a newline before each element that is not inline, runs of newlines
 * collapsed, without comments, script and style, trimmed. `edit` changes each text node first.
 */
export function plainText(root: Parent, edit: (text: string) => string = (text) => text): string {
  const parts: string[] = [];
  collect(root, parts, edit);
  return trimChars(parts.join("").replace(/\n+/g, "\n"), TRIMMED);
}

function collect(node: Parent | Child, parts: string[], edit: (text: string) => string): void {
  if ("value" in node) {
    parts.push(edit(node.value));
    return;
  }
  if ("data" in node) return;
  if (!INLINE.has(node.nodeName)) parts.push("\n");
  if (!("childNodes" in node) || isRaw(node)) return;
  for (const child of childrenOf(node)) collect(child, parts, edit);
}
