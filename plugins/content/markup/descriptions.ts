import { plainText } from "./plain_text.ts";
import { sanitizedHtml } from "./sanitize.ts";
import { escapeText, serialize } from "./serialize.ts";
import { type Child, childrenOf, element, isElement, isText, type Parent, parse, setChildren, textOf } from "./tree.ts";

const NO_ATTRIBUTES: ReadonlySet<string> = new Set();
const ALLOWED = new Map<string, ReadonlySet<string>>([
  ["a", new Set(["href", "title", "target"])],
  ...["p", "ol", "ul", "li", "strong", "em", "br", "span", "code"].map((name) => [name, NO_ATTRIBUTES] as const),
]);
const INLINE = new Set(["a", "strong", "em", "br", "span", "code"]);

/** Both forms of a description to store (content-api 4.2); undefined if neither was sent. */
export function describe(input: {
  description?: string | undefined;
  description_html?: string | undefined;
}): { description: string; description_html: string } | undefined {
  const { description, description_html: html } = input;
  if (html !== undefined) {
    const tree = parse(html);
    const plain = plainText(tree);
    return { description: plain, description_html: allowedHtml(tree) };
  }
  return description === undefined ? undefined : { description, description_html: fromPlain(description) };
}

/** The HTML that answers show for a stored description (content-api 4.2). */
export function describeHtml(storedHtml: string, plain: string): string {
  const tree = parse(storedHtml || fromPlain(plain));
  return /[^ \t\n\r\0\v]/.test(textOf(tree)) ? sanitizedHtml(tree) : "<p></p>";
}

/** The HTML to store of a comment: wraps top-level text in paragraphs, then filters as for descriptions (content-api 10.2). */
export function comment(html: string): string {
  const tree = parse(html);
  wrapBareText(tree);
  return allowedHtml(tree);
}

function fromPlain(plain: string): string {
  return `<p>${escapeText(plain).replace(/\r\n|\n|\r/g, "<br>\n")}</p>`;
}

/** Drops elements and attributes that are not allowed, and top-level text. Changes the tree. */
function allowedHtml(tree: Parent): string {
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

/** Wraps each top-level run of text and inline elements in one paragraph, so that a link stays within its sentence. */
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
