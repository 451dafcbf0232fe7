import { bookPath, pagePath } from "lectern/contracts";

/** The absolute URL of a page (content-api 4.4); `baseUrl` has no trailing slash. A draft page is addressed by its id. */
export function pageUrl(
  baseUrl: string,
  bookSlug: string,
  page: { readonly id: number; readonly slug: string; readonly draft: boolean },
): string {
  const book = { slug: bookSlug };
  return baseUrl + (page.draft ? `${bookPath(book)}/draft/${page.id}` : pagePath(book, page));
}
