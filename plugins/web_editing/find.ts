/** Items by the slugs of their addresses, as the API shows them to the reader. */
import { ApiError, type Tag, type Visit } from "lectern/core";

/** What the screens need of an item's answer. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly description?: string;
  readonly description_html?: string;
  readonly tags?: readonly Tag[];
}

/** A book as it is read. */
export interface Book extends Item {
  readonly default_template_id: number | null;
  readonly cover: { readonly url: string } | null;
}

/** A chapter as it is read. */
export interface Chapter extends Item {
  readonly book_id: number;
  readonly book_slug: string;
  readonly default_template_id: number | null;
}

/** A shelf as it is read. */
export interface Shelf extends Item {
  readonly books: readonly { readonly id: number; readonly name: string }[];
  readonly cover: { readonly url: string } | null;
}

/** A page as it is read. */
export interface Page extends Item {
  readonly book_id: number;
  readonly chapter_id: number | null;
  readonly html: string;
  readonly raw_html: string;
  readonly markdown: string;
  readonly editor: string;
  readonly revision_count: number;
  readonly updated_at: string;
  readonly updated_by: { readonly name: string } | null;
}

interface Listing {
  readonly data: readonly { readonly id: number }[];
}

async function bySlug<T>(visit: Visit, segment: string, noun: string, slug: string, within = ""): Promise<T> {
  const { data } = await visit.get<Listing>(
    `/api/${segment}?count=1&filter[slug]=${encodeURIComponent(slug)}${within}`,
  );
  const [found] = data;
  if (!found) throw new ApiError(404, `${noun} not found`);
  return visit.get<T>(`/api/${segment}/${found.id}`);
}

/** The book of the address. Throws 404. */
export function bookOf(visit: Visit): Promise<Book> {
  return bySlug<Book>(visit, "books", "Book", visit.params.book ?? "");
}

/** The shelf of the address. Throws 404. */
export function shelfOf(visit: Visit): Promise<Shelf> {
  return bySlug<Shelf>(visit, "shelves", "Shelf", visit.params.shelf ?? "");
}

/** The chapter of the address with its book. Throws 404. */
export async function chapterOf(visit: Visit): Promise<{ book: Book; chapter: Chapter }> {
  const book = await bookOf(visit);
  const within = `&filter[book_id]=${book.id}`;
  return { book, chapter: await bySlug<Chapter>(visit, "chapters", "Chapter", visit.params.chapter ?? "", within) };
}

/** The page of the address with its book. Throws 404. */
export async function pageOf(visit: Visit): Promise<{ book: Book; page: Page }> {
  const book = await bookOf(visit);
  const within = `&filter[book_id]=${book.id}`;
  return { book, page: await bySlug<Page>(visit, "pages", "Page", visit.params.page ?? "", within) };
}

/** The path of a book's screen. */
export const bookPath = ({ slug }: { slug: string }): string => `/books/${encodeURIComponent(slug)}`;
/** The path of a chapter's screen. */
export const chapterPath = (book: { slug: string }, { slug }: { slug: string }): string =>
  `${bookPath(book)}/chapter/${encodeURIComponent(slug)}`;
/** The path of a page's screen. */
export const pagePath = (book: { slug: string }, { slug }: { slug: string }): string =>
  `${bookPath(book)}/page/${encodeURIComponent(slug)}`;
/** The path of a shelf's screen. */
export const shelfPath = ({ slug }: { slug: string }): string => `/shelves/${encodeURIComponent(slug)}`;
