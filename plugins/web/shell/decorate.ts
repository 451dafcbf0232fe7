/**
 * Decorates a page's HTML for screens: highlighted code, style attributes as rules, headings in outline order with a table of
 * contents, and elements adapted to the screen. Results are cached. The HTML is parsed and serialised until it is stable, so that a browser
 * builds the same tree as was checked here.
 */
import type { DecoratedContent, Heading, Ui } from "lectern/contracts";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as NAMESPACES, parseFragment, serialize } from "parse5";
import {
  adapt,
  attribute,
  type Element,
  type Frames,
  isElement,
  neutralize,
  rename,
  setAttribute,
  textOf,
  type Words,
} from "./elements.ts";
import { highlighted } from "./highlight.ts";
import { declarationsIn, rulesFor } from "./inline_styles.ts";
import { type Pictures, PlacedPictures } from "./page_pictures.ts";

type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Characters of HTML in the cache, beyond which it is cleared. */
const MAX_CACHED = 8_000_000;
const MAX_PASSES = 3;
const MAX_LEVEL = 6;

/** By language, frame policy and pictures, then by HTML: that of a cached page is the same string each time, whose hash is computed once. */
const cache = new Map<string, Map<string, DecoratedContent>>();
let cachedLength = 0;

/** The frame policy, with a name for the cache key. */
export interface NamedFrames extends Frames {
  readonly policy: string;
}

/** What content is decorated with: the frames that may be shown, and the pictures of this instance in it. */
export interface Surroundings<F extends Frames = Frames> {
  readonly frames: F;
  readonly pictures?: Pictures;
}

/** Decorates content. */
export type Decorate = (html: string, labels: Labels) => DecoratedContent | Promise<DecoratedContent>;

/** Decorates a page's HTML in a language, by `make` unless it is cached. */
export async function cachedDecoration(
  html: string,
  ui: Pick<Ui, "t" | "language">,
  surroundings: Surroundings<NamedFrames>,
  make: Decorate = (source, labels) => decorate(source, labels, surroundings),
): Promise<DecoratedContent> {
  const { frames, pictures = [] } = surroundings;
  const key = `${ui.language}\n${frames.policy}${pictures.length === 0 ? "" : `\n${JSON.stringify(pictures)}`}`;
  const found = cache.get(key)?.get(html);
  if (found) return found;
  const made = await make(html, labelsOf(ui));
  const length = key.length + html.length;
  if (cachedLength + length > MAX_CACHED) {
    cache.clear();
    cachedLength = 0;
  }
  cachedLength += length;
  const own = cache.get(key) ?? new Map<string, DecoratedContent>();
  cache.set(key, own.set(html, made));
  return made;
}

/** Texts for content in a language. */
export interface Labels extends Omit<Words, "embedded"> {
  /** With a placeholder for the host. */
  readonly embedded: string;
}

const PLACEHOLDER = "\u0001";

function labelsOf({ t }: Pick<Ui, "t">): Labels {
  return {
    table: t("Table"),
    done: t("Done"),
    open: t("To do"),
    picture: t("Image"),
    enlarge: t("Enlarge"),
    close: t("Close"),
    original: t("Open the original"),
    section: t("Link to this section"),
    embedded: t("Embedded content of :place", { place: PLACEHOLDER }),
  };
}

/** Decorates HTML with the labels of a language. */
export function decorate(source: string, labels: Labels, { frames, pictures = [] }: Surroundings): DecoratedContent {
  const placed = new PlacedPictures(pictures);
  const words: Words = { ...labels, embedded: (place) => labels.embedded.replaceAll(PLACEHOLDER, () => place) };
  const tree = parseFragment(neutralHtml(source), { scriptingEnabled: false });
  const rules: string[] = [];
  const headings: Heading[] = [];
  // The title of the screen is above all headings of the content.
  const outline: number[] = [];
  const visit = (node: Parent, isInTable: boolean, link: Element | undefined): void => {
    for (const child of [...node.childNodes]) {
      if (!isElement(child)) continue;
      moveStyle(child, rules);
      const heading = placeHeading(child, outline);
      const isTarget = heading !== undefined && heading.id !== "" && heading.text !== "";
      if (isTarget) headings.push(heading);
      const isTable = child.tagName === "table";
      visit(child, isInTable || isTable, child.tagName === "a" ? child : link);
      // Links and summaries hold no further link.
      if (isTarget && !link && node.nodeName !== "summary") addAnchor(child, heading.id, words);
      if (isTable && isInTable) continue;
      const adapted = placed.place(adapt(child, words, frames), link, words);
      highlightCode(child);
      if (adapted === child) continue;
      node.childNodes[node.childNodes.indexOf(child)] = adapted;
      adapted.parentNode = node;
    }
  };
  visit(tree, false, undefined);
  return { html: serialize(tree), style: rules.length === 0 ? undefined : rules.join("\n"), headings };
}

/** HTML that is neutral and stable under parsing; its text alone where it does not become stable. */
function neutralHtml(source: string): string {
  let written = source;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const tree = parseFragment(written, { scriptingEnabled: false });
    const hasChanged = neutralizeAll(tree);
    const again = serialize(tree);
    if (!hasChanged && again === written) return written;
    written = again;
  }
  const tree = parseFragment(written, { scriptingEnabled: false });
  return neutralizeAll(tree) ? Bun.escapeHTML(textOf(tree)) : written;
}

function neutralizeAll(node: Parent): boolean {
  let hasChanged = false;
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    if (neutralize(child)) hasChanged = true;
    if (neutralizeAll(child)) hasChanged = true;
  }
  return hasChanged;
}

/** Replaces the style of an element by a rule of the document, and a number that refers to it. */
function moveStyle(element: Element, rules: string[]): void {
  const style = attribute(element, "style");
  if (style === undefined) return;
  element.attrs = element.attrs.filter(({ name }) => name !== "style");
  const declarations = declarationsIn(style);
  if (declarations.length === 0) return;
  setAttribute(element, "data-style", String(rules.length));
  rules.push(rulesFor(rules.length, declarations));
}

/** Sets the level of a heading in the outline below the title of the screen; a class keeps the size of its original level. */
function placeHeading(element: Element, outline: number[]): Heading | undefined {
  const written = Number(/^h([1-6])$/.exec(element.tagName)?.[1] ?? 0);
  if (written === 0) return undefined;
  while ((outline.at(-1) ?? 0) >= written) outline.pop();
  outline.push(written);
  const level = Math.min(outline.length + 1, MAX_LEVEL);
  rename(element, `h${level}`);
  setAttribute(element, "class", `${attribute(element, "class") ?? ""} like-h${written}`.trim());
  return { level, id: attribute(element, "id") ?? "", text: textOf(element).trim() };
}

/** Ends a heading with a link to itself, whose sign the style sheet has, so that it is no part of the text. */
function addAnchor(heading: Element, id: string, { section }: Words): void {
  const attrs = [
    { name: "class", value: "anchor" },
    { name: "href", value: `#${id}` },
    { name: "aria-label", value: section },
  ];
  defaultTreeAdapter.appendChild(heading, defaultTreeAdapter.createElement("a", NAMESPACES.NS.HTML, attrs));
}

/** Highlights the code within a `pre`, where its language is known. */
function highlightCode(pre: Element): void {
  const [code] = pre.tagName === "pre" ? pre.childNodes.filter(isElement) : [];
  if (code?.tagName !== "code" || code.childNodes.some(isElement)) return;
  const language = /(?:^|\s)lang(?:uage)?-(\S+)/.exec(attribute(code, "class") ?? "")?.[1]?.toLowerCase();
  const shown = language === undefined ? undefined : highlighted(textOf(code), language);
  if (shown === undefined) return;
  code.childNodes = [];
  for (const child of parseFragment(shown).childNodes) defaultTreeAdapter.appendChild(code, child);
}
