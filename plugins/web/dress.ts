/**
 * What screens make of a page's HTML as the API shows it: code in colours, styles as rules, headings in the order of an
 * outline with a table of contents, elements that fit a screen. The same HTML is dressed once. What comes out is read again
 * until nothing in it reaches for the screen any more, so that what a browser makes of it is what was looked at here.
 */

import type { Dressed, Heading, Ui } from "lectern/core";
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parseFragment, serialize } from "parse5";
import {
  attribute,
  type Element,
  fitted,
  isElement,
  rename,
  setAttribute,
  textOf,
  unhand,
  type Words,
} from "./elements.ts";
import { highlighted } from "./highlight.ts";
import { declarationsIn, rulesFor } from "./styles.ts";

type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Characters of HTML for which what was made of them is remembered. */
const KEPT = 8_000_000;
const READINGS = 3;
const LOWEST = 6;

const known = new Map<string, Dressed>();
let held = 0;

/** Dresses a page's HTML for readers of a language. */
export function dressed(html: string, ui: Pick<Ui, "t" | "language">): Dressed {
  const key = `${ui.language}\n${html}`;
  const found = known.get(key);
  if (found) return found;
  const made = dress(html, wordsOf(ui));
  if (held + key.length > KEPT) {
    known.clear();
    held = 0;
  }
  held += key.length;
  known.set(key, made);
  return made;
}

function wordsOf({ t }: Pick<Ui, "t">): Words {
  return {
    table: t("Table"),
    done: t("Done"),
    open: t("To do"),
    picture: t("Picture"),
    embedded: (place) => t("Embedded content of :place", { place }),
  };
}

function dress(source: string, words: Words): Dressed {
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
      const fit = fitted(child, words);
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
