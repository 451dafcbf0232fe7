/**
 * Checks icons of plugins, which are inlined into documents: only shapes and their attributes are allowed, so an icon can neither
 * run scripts nor load files of others, nor shadow names of the document.
 */
import { type DefaultTreeAdapterTypes, html, parseFragment, serializeOuter } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;

const ELEMENTS: ReadonlySet<string> = new Set([
  ...["svg", "g", "path", "circle", "ellipse", "line", "polygon", "polyline", "rect"],
]);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...[
    "xmlns",
    "viewBox",
    "width",
    "height",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "d",
    "points",
  ],
  ...["fill", "fill-opacity", "fill-rule", "clip-rule", "opacity", "transform", "vector-effect"],
  ...["stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit"],
  ...["stroke-opacity", "stroke-width"],
]);
/** Numbers, names, colors, lists of coordinates and transformations; none that refers to something else, as `url(…)` does. */
const VALUE = /^(?!.*url\s*\()[\w\s#%(),.:/+-]*$/i;
/** Characters of an icon. */
const MAX_LENGTH = 20_000;

/** An icon as checked markup: one svg element without a size. Throws an error that names what is not allowed in it. */
export function checkedSvg(svg: string): string {
  const wrong = (what: string) => new Error(`${what}; expected one svg element with shapes`);
  if (svg.length > MAX_LENGTH) throw wrong(`found more than ${MAX_LENGTH} characters`);
  const [root, ...others] = parseFragment(svg.trim()).childNodes;
  if (root === undefined || others.length > 0 || root.nodeName !== "svg") throw wrong("found no single svg element");
  const problem = problemIn(root);
  if (problem !== undefined) throw wrong(problem);
  // Icons have the size of the text beside them.
  if ("attrs" in root) root.attrs = root.attrs.filter(({ name }) => name !== "width" && name !== "height");
  // What was checked is drawn, not the text that it was parsed from.
  return serializeOuter(root);
}

/** What is not allowed in a node or those within it; undefined if all is. */
function problemIn(node: Node): string | undefined {
  if (node.nodeName === "#text" && "value" in node)
    return node.value.trim() === "" ? undefined : `Text "${node.value.trim().slice(0, 20)}" is not allowed`;
  if (!("tagName" in node)) return `A ${node.nodeName.replace("#", "")} is not allowed`;
  const { tagName, namespaceURI, attrs, childNodes } = node;
  if (namespaceURI !== html.NS.SVG || !ELEMENTS.has(tagName)) return `The element "${tagName}" is not allowed`;
  const attribute = attrs.find(({ name, prefix, value }) => prefix || !ATTRIBUTES.has(name) || !VALUE.test(value));
  if (attribute) return `The attribute ${attribute.name}="${attribute.value.slice(0, 40)}" is not allowed`;
  for (const child of childNodes) {
    const problem = problemIn(child);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
