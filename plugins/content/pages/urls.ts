/** The absolute address of a page (content-api 4.4); `baseUrl` has no final slash. A draft is found by its id. */
export function pageUrl(
  baseUrl: string,
  bookSlug: string,
  page: { readonly id: number; readonly slug: string; readonly draft: boolean },
): string {
  const book = `${baseUrl}/books/${encodeURIComponent(bookSlug)}`;
  return page.draft ? `${book}/draft/${page.id}` : `${book}/page/${encodeURIComponent(page.slug)}`;
}
