/** What an address of this instance names. Slugs are decoded; `path` is as written, without what follows the item. */
export interface Address {
  readonly path: string;
  readonly kind: "book" | "chapter" | "page" | "bookshelf";
  /** The book's slug, or the shelf's. */
  readonly top: string;
  /** The slug of the chapter or page. */
  readonly slug: string;
}

const ITEM = /^\/(?:books\/([^/?#]+)(?:\/(page|chapter)\/([^/?#]+))?|shelves\/([^/?#]+))(?=[/?#]|$)/;

/**
 * Addresses of items of this instance in HTML, each once, whatever path, fragment or query follows them. Every
 * occurrence counts, not only those in links: a record too many costs a look when the item moves, one too few leaves a
 * dead link.
 */
export function addressesIn(html: string, baseUrl: string): Address[] {
  const found = new Map<string, Address>();
  for (let at = html.indexOf(baseUrl); at >= 0; at = html.indexOf(baseUrl, at + baseUrl.length)) {
    const start = at + baseUrl.length;
    // No address of ours is longer: two slugs with their suffixes, and what stands between.
    const rest = /^[^\s"'<>()]*/.exec(html.slice(start, start + MAX_PATH).toWellFormed())?.[0] ?? "";
    const address = addressOf(rest);
    if (address) found.set(address.path, address);
  }
  return [...found.values()];
}

const MAX_PATH = 600;

function addressOf(rest: string): Address | undefined {
  const parts = ITEM.exec(rest);
  if (!parts) return undefined;
  const [path, book, kind, slug, shelf] = parts;
  if (shelf !== undefined) return { path, kind: "bookshelf", top: decoded(shelf), slug: "" };
  if (slug === undefined) return { path, kind: "book", top: decoded(book ?? ""), slug: "" };
  return { path, kind: kind as "page" | "chapter", top: decoded(book ?? ""), slug: decoded(slug) };
}

/** A slug that is written wrongly names nothing; NUL is refused by the store. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug).replaceAll("\0", "");
  } catch {
    return "";
  }
}
