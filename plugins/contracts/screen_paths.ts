/**
 * The path of a book's screen.
 * @example
 * bookPath({ slug: "runbooks" }); // "/books/runbooks"
 */
export const bookPath = ({ slug }: { slug: string }): string => `/books/${encodeURIComponent(slug)}`;
/**
 * The path of a chapter's screen.
 * @example
 * chapterPath({ slug: "runbooks" }, { slug: "backups" }); // "/books/runbooks/chapter/backups"
 */
export const chapterPath = (book: { slug: string }, { slug }: { slug: string }): string =>
  `${bookPath(book)}/chapter/${encodeURIComponent(slug)}`;
/**
 * The path of a page's screen.
 * @example
 * pagePath({ slug: "runbooks" }, { slug: "restore" }); // "/books/runbooks/page/restore"
 */
export const pagePath = (book: { slug: string }, { slug }: { slug: string }): string =>
  `${bookPath(book)}/page/${encodeURIComponent(slug)}`;
/**
 * The path of a shelf's screen.
 * @example
 * shelfPath({ slug: "operations" }); // "/shelves/operations"
 */
export const shelfPath = ({ slug }: { slug: string }): string => `/shelves/${encodeURIComponent(slug)}`;
