/** Items of the API by the slugs of URLs. */
import type { Item, Ui, Visit } from "lectern/contracts";

/** A single book with its outline. */
export type Book = Item<"book_outline">;

/** A single chapter. */
export type Chapter = Item<"chapter">;

/** A single shelf. */
export type Shelf = Item<"bookshelf">;

/** A single page. */
export type Page = Item<"page">;

/** The book of the URL. Throws 404. */
export function bookOf(visit: Visit): Promise<Book> {
  return visit.item("book_outline", { slug: visit.params.book ?? "" });
}

/** The shelf of the URL. Throws 404. */
export function shelfOf(visit: Visit): Promise<Shelf> {
  return visit.item("bookshelf", { slug: visit.params.shelf ?? "" });
}

/** The chapter of the URL with its book. Throws 404. */
export async function chapterOf(visit: Visit): Promise<{ book: Book; chapter: Chapter }> {
  const book = await bookOf(visit);
  const fields = { slug: visit.params.chapter ?? "", within: book.id };
  return { book, chapter: await visit.item("chapter", fields) };
}

/** The page of the URL with its book. Throws 404. */
export async function pageOf(visit: Visit): Promise<{ book: Book; page: Page }> {
  const book = await bookOf(visit);
  const fields = { slug: visit.params.page ?? "", within: book.id };
  return { book, page: await visit.item("page", fields) };
}

/** What is said of an item after it was deleted. */
export function deletedNotice(ui: Ui, name: string): string {
  return ui.serves("/api/recycle-bin")
    ? ui.t("“:name” is in the recycle bin.", { name })
    : ui.t("“:name” is deleted.", { name });
}
