import { serialize } from "./serialize.ts";
import { type Child, element } from "./tree.ts";

/** The HTML of one node. */
export function htmlOf(node: Child): string {
  const parent = element("div", []);
  // The node keeps its own parent, which serialising does not read.
  parent.childNodes = [node];
  return serialize(parent);
}

/** Serialised HTML without ids. Pages derive them from texts, so they differ where nobody changed anything. */
export function withoutIds(html: string): string {
  return html.replace(/<[a-z][^<>]*>/g, (tag) => tag.replace(/ id="[^"]*"/, ""));
}
