/** Schemes that run code when a link is followed. URL parsing removes the white space and control characters in them. */
const UNSAFE_SCHEMES = new Set(["javascript:", "data:", "vbscript:"]);

/** The absolute URL of a link, in ASCII; undefined for a link that is no URL or would run code. */
export function resolveLink(link: string, baseUrl: string): string | undefined {
  const url = URL.parse(link, `${baseUrl}/`);
  return url && !UNSAFE_SCHEMES.has(url.protocol) ? url.href : undefined;
}

/** The URL of an attachment on this instance. */
export function attachmentUrl(baseUrl: string, id: number): string {
  return `${baseUrl}/attachments/${id}`;
}

/** The id of the attachment that a URL of this instance names; undefined for other URLs. */
export function attachmentIdIn(url: string, baseUrl: string): number | undefined {
  const found = url.startsWith(`${baseUrl}/`)
    ? /^\/attachments\/(\d{1,9})(?=[?#]|$)/.exec(url.slice(baseUrl.length))
    : null;
  return found ? Number(found[1]) : undefined;
}

/** The URL that answers show (content-api 11): that of this instance, or the link itself if it is relative. */
export function shownUrl(
  { id, external, link }: { readonly id: number; readonly external: boolean; readonly link: string },
  baseUrl: string,
): string {
  const isRelative = external && !link.startsWith("http") && resolveLink(link, baseUrl) !== undefined;
  return isRelative ? link : attachmentUrl(baseUrl, id);
}
