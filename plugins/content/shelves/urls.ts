/** The absolute address of a shelf (content-api 4.4); `baseUrl` has no final slash. */
export function shelfUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/shelves/${encodeURIComponent(slug)}`;
}
