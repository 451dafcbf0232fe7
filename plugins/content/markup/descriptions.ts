import { safeTree } from "./filter.ts";
import { escapeText, serialize } from "./serialize.ts";
import { plainText } from "./text.ts";
import { type Child, childrenOf, element, isElement, isText, type Parent, parse, setChildren, textOf } from "./tree.ts";

const NO_ATTRIBUTES: ReadonlySet<string> = new Set();
const ALLOWED = new Map<string, ReadonlySet<string>>([
  ["a", new Set(["href", "title", "target"])],
  ...["p", "ol", "ul", "li", "strong", "em", "br", "span", "code"].map((name) => [name, NO_ATTRIBUTES] as const),
]);
const INLINE = new Set(["a", "strong", "em", "br", "span", "code"]);

/** Both forms of a description to store (content-api 4.2), or `undefined` if neither was sent. */
export function describe(input: {
  description?: string | undefined;
  description_html?: string | undefined;
}): { description: string; description_html: string } | undefined {
  const { description, description_html: html } = input;
  if (html !== undefined) {
    const tree = parse(html);
    const plain = plainText(tree);
    return { description: plain, description_html: filtered(tree) };
  }
  return description === undefined ? undefined : { description, description_html: fromPlain(description) };
}

/** What is returned for a stored description (content-api 4.2). */
export function describeHtml(storedHtml: string, plain: string): string {
  const tree = parse(storedHtml || fromPlain(plain));
  return /[^ \t\n\r\0\v]/.test(textOf(tree)) ? safeTree(tree) : "<p></p>";
}

/** A comment's HTML to store: bare top-level text in paragraphs, then the description filter (content-api 10.2). */
export function comment(html: string): string {
  const tree = parse(html);
  wrapBareText(tree);
  return filtered(tree);
}

function fromPlain(plain: string): string {
  return `<p>${escapeText(plain).replace(/\r\n|\n|\r/g, "<br>\n")}</p>`;
}

function filtered(tree: Parent): string {
  setChildren(tree, childrenOf(tree).filter(isElement));
  keepAllowed(tree);
  return serialize(tree);
}

function keepAllowed(node: Parent): void {
  const kept = childrenOf(node).filter((child) => isText(child) || (isElement(child) && ALLOWED.has(child.tagName)));
  setChildren(node, kept);
  for (const child of kept) {
    if (!isElement(child)) continue;
    child.attrs = child.attrs.filter(({ name, prefix }) => !prefix && ALLOWED.get(child.tagName)?.has(name));
    keepAllowed(child);
  }
}

// A run of text and inline elements becomes one paragraph, so that a link within a plain sentence stays in its place.
function wrapBareText(tree: Parent): void {
  const wrapped: Child[] = [];
  let run: Child[] = [];
  const close = (): void => {
    const hasText = run.some((child) => isText(child) && child.value.trim() !== "");
    wrapped.push(...(hasText ? [element("p", run)] : run));
    run = [];
  };
  for (const child of childrenOf(tree)) {
    if (isText(child) || (isElement(child) && INLINE.has(child.tagName))) {
      run.push(child);
      continue;
    }
    close();
    wrapped.push(child);
  }
  close();
  setChildren(tree, wrapped);
}
