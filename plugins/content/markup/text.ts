import { type Child, childrenOf, isRaw, type Parent } from "./tree.ts";

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
 * Plain text of a tree (content-api 15.5 @25): a new line for each element that is not inline, runs of newlines
 * collapsed, comments, script and style left out, trimmed. `edit` changes each run of text before.
 */
export function plainText(root: Parent, edit: (text: string) => string = (text) => text): string {
  const parts: string[] = [];
  collect(root, parts, edit);
  return parts
    .join("")
    .replace(/\n+/g, "\n")
    .replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, "");
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
