import { decodeSlug } from "../_items/slugs.ts";

/** An address of an item of this instance. Slugs are decoded; `path` is as written, up to the item's slug. */
export interface Address {
  readonly path: string;
  readonly kind: "book" | "chapter" | "page" | "bookshelf";
  /** The book's slug, or the shelf's. */
  readonly top: string;
  /** The slug of the chapter or page; "" for books and shelves. */
  readonly slug: string;
}

/** The longest path of an item: two slugs with their suffixes, and the segments between. */
const MAX_PATH = 600;
const ITEM = /^\/(?:books\/([^/?#]+)(?:\/(page|chapter)\/([^/?#]+))?|shelves\/([^/?#]+))(?=[/?#]|$)/;

/**
 * Addresses of items of this instance in HTML, each once, whatever path, fragment or query follows them. Every occurrence
 * counts, not only those in links: an extra record costs a comparison when the item moves, a missing one leaves a dead
 * link.
 */
export function addressesIn(html: string, baseUrl: string): Address[] {
  const found = new Map<string, Address>();
  for (let at = html.indexOf(baseUrl); at >= 0; at = html.indexOf(baseUrl, at + baseUrl.length)) {
    const start = at + baseUrl.length;
    const rest = /^[^\s"'<>()]*/.exec(html.slice(start, start + MAX_PATH).toWellFormed())?.[0] ?? "";
    const address = addressOf(rest);
    if (address) found.set(address.path, address);
  }
  return [...found.values()];
}

function addressOf(rest: string): Address | undefined {
  const parts = ITEM.exec(rest);
  if (!parts) return undefined;
  const [path, book, kind, slug, shelf] = parts;
  if (shelf !== undefined) return { path, kind: "bookshelf", top: decodeSlug(shelf), slug: "" };
  if (slug === undefined) return { path, kind: "book", top: decodeSlug(book ?? ""), slug: "" };
  return { path, kind: kind as "page" | "chapter", top: decodeSlug(book ?? ""), slug: decodeSlug(slug) };
}
