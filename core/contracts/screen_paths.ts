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
