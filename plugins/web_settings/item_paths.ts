import type { Visit } from "lectern/core";

interface Item {
  readonly slug: string;
  readonly book_id?: number;
  readonly book_slug?: string;
}

/** The path of an item's screen by its number; undefined where the reader sees none. */
export async function pathOfItem(visit: Visit, segment: string, id: string): Promise<string | undefined> {
  const item = await visit.find<Item>(`/api/${segment}/${id}`);
  if (!item) return undefined;
  const slug = encodeURIComponent(item.slug);
  if (segment === "books" || segment === "shelves") return `/${segment}/${slug}`;
  const book = item.book_slug ?? (await visit.find<Item>(`/api/books/${item.book_id}`))?.slug;
  if (book === undefined) return undefined;
  return `/books/${encodeURIComponent(book)}/${segment === "chapters" ? "chapter" : "page"}/${slug}`;
}
