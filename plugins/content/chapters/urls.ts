/** The absolute address of a chapter (content-api 4.4); `baseUrl` has no final slash. */
export function chapterUrl(baseUrl: string, bookSlug: string, slug: string): string {
  return `${baseUrl}/books/${encodeURIComponent(bookSlug)}/chapter/${encodeURIComponent(slug)}`;
}
