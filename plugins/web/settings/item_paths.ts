import { bookPath, chapterPath, pagePath, shelfPath, type Visit } from "lectern/contracts";
import { idIn } from "../_paths/id_of.ts";

/** The path of an item's screen by the id of the item; undefined where the viewer may not see it, and for kinds without a screen. */
export async function pathOfItem(visit: Visit, segment: string, text: string): Promise<string | undefined> {
  const id = idIn(text);
  if (segment === "books") {
    const book = await visit.find(`/api/books/${id}`);
    return book && bookPath(book);
  }
  if (segment === "shelves") {
    const shelf = await visit.find(`/api/shelves/${id}`);
    return shelf && shelfPath(shelf);
  }
  if (segment === "chapters") {
    const chapter = await visit.find(`/api/chapters/${id}`);
    return chapter && chapterPath({ slug: chapter.book_slug }, chapter);
  }
  if (segment !== "pages") return undefined;
  const page = await visit.find(`/api/pages/${id}`);
  const book = page && (await visit.find(`/api/books/${page.book_id}`));
  return book && pagePath(book, page);
}
