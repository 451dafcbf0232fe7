/**
 * Parses HTML into documents that load and run nothing. Attributes with styles and handlers have other names there: the
 * Content-Security-Policy of the screen counts for such documents, too, and browsers report each of these attributes as refused. Before
 * HTML is parsed, each word before an equals sign that could name one is masked; afterwards it is restored in texts, values and
 * other names. A `style` element is still reported, and neither applied nor changed.
 */

/** The beginning of such names in documents of `inertDocument`. */
const PREFIX = "lectern-";
const WORD = /\b(?:style|on[a-z]{1,30})(?=\s{0,20}=)/gi;
const STYLE = `${PREFIX}style`;
/** A masked word as hexadecimal digits, which no parser changes. */
const MASKED = /qzq((?:[0-9a-f]{2})+)zqz/gi;

const masked = (html: string) => html.replace(WORD, (word) => `qzq${[...word].map(hexOf).join("")}zqz`);
const hexOf = (letter: string) => letter.charCodeAt(0).toString(16).padStart(2, "0");

function unmasked(text: string): string {
  return text.replace(MASKED, (_all, digits: string) =>
    digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
  );
}

/** A document with HTML in its body. */
export function inertDocument(html: string): Document {
  const text = masked(html);
  const parsed = new DOMParser().parseFromString(`<!doctype html><body>${text}`, "text/html");
  if (text !== html) restore(parsed.body);
  return parsed;
}

const isHidden = (name: string) => /^(?:style|on[a-z]+)$/.test(name);

/** The real name of an attribute. */
function realName(name: string): string {
  const rest = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
  return isHidden(rest) ? rest : name;
}

function restore(root: Element): void {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node: Node | null = root; node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.nodeValue ?? "";
      if (text.includes("qzq")) node.nodeValue = unmasked(text);
    } else restoreAttributes(node as Element);
  }
}

function restoreAttributes(element: Element): void {
  const all = [...element.attributes].map(({ name, value }) => [name, value] as const);
  if (!all.some((pair) => pair.join().includes("qzq"))) return;
  // All of them, so that their order stays.
  for (const [name] of all) element.removeAttribute(name);
  for (const [name, value] of all) {
    const real = name.includes("qzq") ? unmasked(name).toLowerCase() : name;
    element.setAttribute(isHidden(real) ? `${PREFIX}${real}` : real, unmasked(value));
  }
}

/** The attributes of an element of such a document, by their real names. */
export function attributesOf(element: Element): (readonly [name: string, value: string])[] {
  const all = [...element.attributes].map(({ name, value }) => [realName(name), value] as const);
  // What was copied in the editor has both: the style for other programs, in their spelling, and the one of the page.
  return element.hasAttribute(STYLE)
    ? all.filter(([name], index) => name !== "style" || element.attributes[index]?.name === STYLE)
    : all;
}

/** HTML of such a document, as it was. */
export function realHtml(html: string): string {
  return unmasked(html).replace(/ lectern-(style|on[a-z]+)="/g, ' $1="');
}

/** Gives elements their style attributes for other programs, by a way that the policy permits. Changes the tree. */
export function showStyles(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>(`[${STYLE}]`))
    element.style.cssText = element.getAttribute(STYLE) ?? "";
}
