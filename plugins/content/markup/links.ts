import type { AddressAt } from "lectern/contracts";
import { serialize } from "./serialize.ts";
import { attributeOf, eachElement, type Parent, parse, setAttribute } from "./tree.ts";

/** Distinct targets of the links in a tree, as written, without fragments. Links within the page are left out. */
export function linksIn(root: Parent): string[] {
  const links = new Set<string>();
  eachElement(root, (element) => {
    const href = element.tagName === "a" || element.tagName === "area" ? attributeOf(element, "href") : undefined;
    const target = href?.trim().replace(/#.*$/s, "");
    if (target) links.add(target);
  });
  return [...links];
}

const URL_ATTRIBUTES = ["href", "src", "srcset", "poster", "data"];

/** Replaces URLs in attributes: `change` returns the new URL, null to remove the attribute, undefined to leave it. */
export function readdress(html: string, change: (at: AddressAt) => string | null | undefined): string {
  const tree = parse(html);
  eachElement(tree, (element) => {
    for (const attribute of URL_ATTRIBUTES) {
      const address = attributeOf(element, attribute);
      if (address === undefined) continue;
      const replacement = change({ element: element.tagName, attribute, address });
      if (typeof replacement === "string") setAttribute(element, attribute, replacement);
      if (replacement === null)
        element.attrs = element.attrs.filter(({ name, prefix }) => name !== attribute || prefix);
    }
  });
  return serialize(tree);
}

/** Replaces link targets in stored content (content-api 4.4); undefined if nothing changed. */
export function relink(
  stored: { html: string; markdown: string },
  moved: ReadonlyMap<string, string>,
): { html: string; markdown: string } | undefined {
  if (moved.size === 0) return undefined;
  const moves = { moved, longest: Math.max(...Array.from(moved.keys(), (url) => url.length)) };
  const html = relinkHtml(stored.html, moves);
  const markdown = relinkMarkdown(stored.markdown, moves);
  return html === stored.html && markdown === stored.markdown ? undefined : { html, markdown };
}

/** New URLs by old ones, and the length of the longest old one. */
interface Moves {
  readonly moved: ReadonlyMap<string, string>;
  readonly longest: number;
}

function relinkHtml(html: string, moves: Moves): string {
  const tree = parse(html);
  let changed = false;
  eachElement(tree, (element) => {
    const href = attributeOf(element, "href");
    const target = href === undefined ? undefined : movedUrl(href.trim(), moves);
    if (target === undefined) return;
    setAttribute(element, "href", target);
    changed = true;
  });
  return changed ? serialize(tree) : html;
}

/** Replaces inline links, reference definitions, links in angle brackets and href attributes of raw HTML, but not bare text. */
function relinkMarkdown(markdown: string, moves: Moves): string {
  return markdown.replace(
    /(\]\(\s{0,99}<?|\]:\s{0,99}<?|<|\bhref\s{0,99}=\s{0,99}["']?)(https?:\/\/[^\s<>()"']+|\/[^\s<>()"']+)/gi,
    (whole, before: string, url: string) => {
      const target = movedUrl(url, moves);
      return target === undefined ? whole : before + target;
    },
  );
}

/** The new URL for the longest old URL that is a prefix of `url` and ends at a boundary of its parts. */
function movedUrl(url: string, { moved, longest }: Moves): string | undefined {
  const from = url.length <= longest ? url.length : lastBoundary(url, longest);
  for (let end = from; end > 0; end = lastBoundary(url, end - 1)) {
    const target = moved.get(url.slice(0, end));
    if (target !== undefined) return target + url.slice(end);
  }
  return undefined;
}

function lastBoundary(url: string, from: number): number {
  for (let at = from; at > 0; at--) {
    if (url[at] === "/" || url[at] === "?" || url[at] === "#") return at;
  }
  return 0;
}
