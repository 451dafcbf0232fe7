/** The slug in a path segment; "" where it is not encoded correctly. NUL, which PostgreSQL rejects, is removed. */
export function decodeSlug(segment: string): string {
  try {
    return decodeURIComponent(segment).replaceAll("\0", "");
  } catch {
    // No slug is empty, so "" matches no item.
    return "";
  }
}
