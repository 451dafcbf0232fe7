/** The absolute address of a book (content-api 4.4); `baseUrl` has no final slash. */
export function bookUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/books/${encodeURIComponent(slug)}`;
}
