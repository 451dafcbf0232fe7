/**
 * A path of this instance from client input, such as the one to return to after a sign-in; "/" for anything that leads
 * elsewhere. It has no path of APP_URL before it.
 * @example
 * const next = ownPath(input.next);
 */
export function ownPath(sent: unknown): string {
  // Browsers treat a backslash as a slash and drop control characters.
  if (typeof sent !== "string" || !/^\/(?![/\\])/.test(sent) || /[\\\p{Cc}]/u.test(sent)) return "/";
  const url = new URL(sent, "http://instance");
  return url.host === "instance" ? url.pathname.replace(/^\/{2,}/, "/") + url.search + url.hash : "/";
}
