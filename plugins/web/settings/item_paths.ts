import { bookPath, chapterPath, pagePath, shelfPath, type Visit } from "lectern/contracts";

interface Item {
  readonly slug: string;
  readonly book_id?: number;
  readonly book_slug?: string;
}

/** The path of an item's screen by the id of the item; undefined where the viewer may not see it. */
export async function pathOfItem(visit: Visit, segment: string, id: string): Promise<string | undefined> {
  const item = await visit.find<Item>(`/api/${segment}/${id}`);
  if (!item) return undefined;
  if (segment === "books") return bookPath(item);
  if (segment === "shelves") return shelfPath(item);
  const slug = item.book_slug ?? (await visit.find<Item>(`/api/books/${item.book_id}`))?.slug;
  if (slug === undefined) return undefined;
  return segment === "chapters" ? chapterPath({ slug }, item) : pagePath({ slug }, item);
}
