import type { AddressAt } from "lectern/contracts";
import { serialize } from "./serialize.ts";
import { attributeOf, eachElement, type Parent, parse, setAttribute } from "./tree.ts";

/** Targets of links in a tree as written, without fragment, unique; links within the page are left out. */
export function linksIn(root: Parent): string[] {
  const links = new Set<string>();
  eachElement(root, (element) => {
    const href = element.tagName === "a" || element.tagName === "area" ? attributeOf(element, "href") : undefined;
    const target = href?.trim().replace(/#.*$/s, "");
    if (target) links.add(target);
  });
  return [...links];
}

const ADDRESSES = ["href", "src", "srcset", "poster", "data"];

/** Replaces or takes away addresses in elements, as `change` says for each. */
export function readdress(html: string, change: (at: AddressAt) => string | null | undefined): string {
  const tree = parse(html);
  eachElement(tree, (element) => {
    for (const attribute of ADDRESSES) {
      const address = attributeOf(element, attribute);
      if (address === undefined) continue;
      const wanted = change({ element: element.tagName, attribute, address });
      if (typeof wanted === "string") setAttribute(element, attribute, wanted);
      if (wanted === null) element.attrs = element.attrs.filter(({ name, prefix }) => name !== attribute || prefix);
    }
  });
  return serialize(tree);
}

/** Replaces link targets in stored content (content-api 4.4); `undefined` if there was nothing to replace. */
export function relink(
  stored: { html: string; markdown: string },
  moved: ReadonlyMap<string, string>,
): { html: string; markdown: string } | undefined {
  if (moved.size === 0) return undefined;
  const html = relinkHtml(stored.html, moved);
  const markdown = relinkMarkdown(stored.markdown, moved);
  return html === stored.html && markdown === stored.markdown ? undefined : { html, markdown };
}

function relinkHtml(html: string, moved: ReadonlyMap<string, string>): string {
  const tree = parse(html);
  let changed = false;
  eachElement(tree, (element) => {
    const href = attributeOf(element, "href");
    const target = href === undefined ? undefined : movedUrl(href.trim(), moved);
    if (target === undefined) return;
    setAttribute(element, "href", target);
    changed = true;
  });
  return changed ? serialize(tree) : html;
}

// Inline links, reference definitions, links in angle brackets, href attributes of raw HTML; bare text is left alone.
function relinkMarkdown(markdown: string, moved: ReadonlyMap<string, string>): string {
  return markdown.replace(
    /(\]\(\s{0,99}<?|\]:\s{0,99}<?|<|\bhref\s{0,99}=\s{0,99}["']?)(https?:\/\/[^\s<>()"']+|\/[^\s<>()"']+)/gi,
    (whole, before: string, url: string) => {
      const target = movedUrl(url, moved);
      return target === undefined ? whole : before + target;
    },
  );
}

// The longest old URL that ends where a part of this one ends.
function movedUrl(url: string, moved: ReadonlyMap<string, string>): string | undefined {
  for (let end = url.length; end > 0; end = lastBoundary(url, end - 1)) {
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
