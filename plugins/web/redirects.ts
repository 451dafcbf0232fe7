/** A path of this instance out of something a client sent: nothing that leads elsewhere, "/" for that. */
export function ownPath(sent: unknown): string {
  // Browsers take a backslash for a slash and leave control characters out.
  if (typeof sent !== "string" || !/^\/(?![/\\])/.test(sent) || /[\\\p{Cc}]/u.test(sent)) return "/";
  const url = new URL(sent, "http://house");
  return url.host === "house" ? url.pathname.replace(/^\/{2,}/, "/") + url.search + url.hash : "/";
}
