/**
 * What screens make of a page's HTML as the API shows it: code in colours, styles as rules, headings in the order of an
 * outline with a table of contents, elements that fit a screen. The same HTML is dressed once. What comes out is read again
 * until nothing in it reaches for the screen any more, so that what a browser makes of it is what was looked at here.
 */
import type { DecoratedContent, Heading, Ui } from "lectern/contracts";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment, serialize } from "parse5";
import {
  attribute,
  type Element,
  type Frames,
  fitted,
  isElement,
  rename,
  setAttribute,
  textOf,
  unhand,
  type Words,
} from "./elements.ts";
import { highlighted } from "./highlight.ts";
import { declarationsIn, rulesFor } from "./inline_styles.ts";

type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Characters of HTML for which what was made of them is remembered. */
const KEPT = 8_000_000;
const READINGS = 3;
const LOWEST = 6;

const known = new Map<string, DecoratedContent>();
let held = 0;

/** Which documents of other sites content may hold, under a name for what is remembered. */
export interface NamedFrames extends Frames {
  readonly policy: string;
}

/** Makes content fit for a screen. */
export type Decorate = (html: string, labels: Labels) => DecoratedContent | Promise<DecoratedContent>;

/** Dresses a page's HTML for readers of a language, by `make` unless it is remembered. */
export async function decorated(
  html: string,
  ui: Pick<Ui, "t" | "language">,
  frames: NamedFrames,
  make: Decorate = (source, labels) => decorate(source, labels, frames),
): Promise<DecoratedContent> {
  const key = `${ui.language}\n${frames.policy}\n${html}`;
  const found = known.get(key);
  if (found) return found;
  const made = await make(html, labelsOf(ui));
  if (held + key.length > KEPT) {
    known.clear();
    held = 0;
  }
  held += key.length;
  known.set(key, made);
  return made;
}

/** What stands in content in the reader's language. */
export interface Labels extends Omit<Words, "embedded"> {
  /** With a mark where the place stands. */
  readonly embedded: string;
}

const PLACE = "\u0001";

function labelsOf({ t }: Pick<Ui, "t">): Labels {
  return {
    table: t("Table"),
    done: t("Done"),
    open: t("To do"),
    picture: t("Image"),
    embedded: t("Embedded content of :place", { place: PLACE }),
  };
}

/** Dresses HTML with the labels of a language. */
export function decorate(source: string, labels: Labels, frames: Frames): DecoratedContent {
  const words: Words = { ...labels, embedded: (place) => labels.embedded.replaceAll(PLACE, () => place) };
  const tree = parseFragment(quiet(source), { scriptingEnabled: false });
  const rules: string[] = [];
  const headings: Heading[] = [];
  // The screen's own name is above all headings of the content.
  const outline: number[] = [];
  const visit = (node: Parent, isInTable: boolean): void => {
    for (const child of [...node.childNodes]) {
      if (!isElement(child)) continue;
      restyle(child, rules);
      const heading = headed(child, outline);
      if (heading && heading.id !== "" && heading.text !== "") headings.push(heading);
      const isTable = child.tagName === "table";
      visit(child, isInTable || isTable);
      if (isTable && isInTable) continue;
      const fit = fitted(child, words, frames);
      colour(child);
      if (fit === child) continue;
      node.childNodes[node.childNodes.indexOf(child)] = fit;
      fit.parentNode = node;
    }
  };
  visit(tree, false);
  return { html: serialize(tree), style: rules.length === 0 ? undefined : rules.join("\n"), headings };
}

/** HTML in which nothing reaches for the screen, however often it is read; its text alone where it never comes to rest. */
function quiet(source: string): string {
  let written = source;
  for (let reading = 0; reading < READINGS; reading++) {
    const tree = parseFragment(written, { scriptingEnabled: false });
    const hasChanged = unhandAll(tree);
    const again = serialize(tree);
    if (!hasChanged && again === written) return written;
    written = again;
  }
  const tree = parseFragment(written, { scriptingEnabled: false });
  return unhandAll(tree) ? Bun.escapeHTML(textOf(tree)) : written;
}

function unhandAll(node: Parent): boolean {
  let hasChanged = false;
  for (const child of node.childNodes) {
    if (!isElement(child)) continue;
    if (unhand(child)) hasChanged = true;
    if (unhandAll(child)) hasChanged = true;
  }
  return hasChanged;
}

/** Puts the rules of an element's style among those of the document, and a number in its place. */
function restyle(element: Element, rules: string[]): void {
  const style = attribute(element, "style");
  if (style === undefined) return;
  element.attrs = element.attrs.filter(({ name }) => name !== "style");
  const declarations = declarationsIn(style);
  if (declarations.length === 0) return;
  setAttribute(element, "data-style", String(rules.length));
  rules.push(rulesFor(rules.length, declarations));
}

/** Gives a heading its place in the outline below the screen's name; it keeps the size its author chose. */
function headed(element: Element, outline: number[]): Heading | undefined {
  const written = Number(/^h([1-6])$/.exec(element.tagName)?.[1] ?? 0);
  if (written === 0) return undefined;
  while ((outline.at(-1) ?? 0) >= written) outline.pop();
  outline.push(written);
  const level = Math.min(outline.length + 1, LOWEST);
  rename(element, `h${level}`);
  setAttribute(element, "class", `${attribute(element, "class") ?? ""} like-h${written}`.trim());
  return { level, id: attribute(element, "id") ?? "", text: textOf(element).trim() };
}

/** Colours the code within a `pre`, where its language is known. */
function colour(pre: Element): void {
  const [code] = pre.tagName === "pre" ? pre.childNodes.filter(isElement) : [];
  if (code?.tagName !== "code" || code.childNodes.some(isElement)) return;
  const language = /(?:^|\s)lang(?:uage)?-(\S+)/.exec(attribute(code, "class") ?? "")?.[1]?.toLowerCase();
  const shown = language === undefined ? undefined : highlighted(textOf(code), language);
  if (shown === undefined) return;
  code.childNodes = [];
  for (const child of parseFragment(shown).childNodes) defaultTreeAdapter.appendChild(code, child);
}
