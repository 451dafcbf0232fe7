import type { ScreenRedirect } from "lectern/contracts";
import type { Viewer } from "lectern/core";

/** A path of this instance out of something a client sent: nothing that leads elsewhere, "/" for that. */
export function ownPath(sent: unknown): string {
  // Browsers take a backslash for a slash and leave control characters out.
  if (typeof sent !== "string" || !/^\/(?![/\\])/.test(sent) || /[\\\p{Cc}]/u.test(sent)) return "/";
  const url = new URL(sent, "http://house");
  return url.host === "house" ? url.pathname.replace(/^\/{2,}/, "/") + url.search + url.hash : "/";
}

/** Where a screen that was looked at and not found is today, with its query; undefined where nobody knows, and for forms. */
export async function movedTo(
  redirects: readonly ScreenRedirect[],
  { request, viewer }: { readonly request: Request; readonly viewer: Viewer },
): Promise<string | undefined> {
  if (request.method !== "GET") return undefined;
  const { pathname, search } = new URL(request.url);
  for (const redirect of redirects) {
    const path = await redirect.find(pathname, viewer);
    if (path !== undefined) return path + search;
  }
  return undefined;
}
