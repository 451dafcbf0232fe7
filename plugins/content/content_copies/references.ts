import type { CopiedPair } from "./contract.ts";

/** An item and its copy, with their addresses. */
export interface AddressedPair extends CopiedPair {
  readonly url: string;
  readonly copyUrl: string;
}

/** The longest path of an item: two slugs with their suffixes, and the segments between. */
const MAX_PATH = 600;
/** The path of an address in content, with what follows it up to a query or fragment. */
const PATH = /^[^\s"'<>()?#\]]*/;
/** The paths of an item in a path: with slugs, and of a page by its id. */
const ITEM = /^\/(?:books\/[^/]+\/[a-z]+\/[^/]+|books\/[^/]+|link\/\d+)/;

/**
 * A function that replaces the addresses of copied items by those of their copies, as BookStack does, so that links within a copied book
 * stay within the copy. Addresses of other items of the book stay, as these have no copy.
 */
export function linksToCopies(baseUrl: string, copied: readonly AddressedPair[]): (text: string) => string {
  const addresses = new Map(copied.map(({ url, copyUrl }) => [url, copyUrl]));
  for (const { from, to } of copied)
    if (from.kind === "page") addresses.set(`${baseUrl}/link/${from.id}`, `${baseUrl}/link/${to.id}`);
  return (text) => {
    let replaced = "";
    let end = 0;
    for (let at = text.indexOf(baseUrl); at >= 0; at = text.indexOf(baseUrl, at + baseUrl.length)) {
      const start = at + baseUrl.length;
      const [rest = ""] = PATH.exec(text.slice(start, start + MAX_PATH)) ?? [];
      const [path] = ITEM.exec(rest) ?? [];
      const address = path === undefined ? undefined : addresses.get(baseUrl + path);
      if (path === undefined || address === undefined) continue;
      replaced += text.slice(end, at) + address;
      end = start + path.length;
    }
    return replaced + text.slice(end);
  };
}
