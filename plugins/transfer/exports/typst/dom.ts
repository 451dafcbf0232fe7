import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

/** A node of a page's HTML. */
export type Node = DefaultTreeAdapterTypes.ChildNode;
/** An element of a page's HTML. */
export type Element = DefaultTreeAdapterTypes.Element;
/** A node with children. */
export type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Parses a page's HTML, which was sanitised and limited in depth when it was stored. */
export function parse(html: string): Parent {
  return parseFragment(html);
}

/** Whether a node is an element. */
export function isElement(node: Node): node is Element {
  return "tagName" in node;
}

/** The text of a text node; undefined for other nodes. */
export function textIn(node: Node): string | undefined {
  return node.nodeName === "#text" && "value" in node ? node.value : undefined;
}

/** All text below a node. */
export function textOf(node: Node | Parent): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

/** The value of an attribute, "" where there is none. */
export function attribute(element: Element, name: string): string {
  return element.attrs.find((one) => one.name === name)?.value ?? "";
}

/** Whether an element has a class. */
export function hasClass(element: Element, name: string): boolean {
  return attribute(element, "class").split(/\s+/).includes(name);
}

/** A property of an element's own style, "" where there is none. */
export function style(element: Element, property: string): string {
  const found = attribute(element, "style")
    .split(";")
    .map((one) => one.split(":"))
    .find(([name]) => name?.trim().toLowerCase() === property);
  return found?.slice(1).join(":").trim() ?? "";
}

/** All elements below a node. */
export function* elements(node: Parent): Generator<Element> {
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    yield child;
    yield* elements(child);
  }
}
