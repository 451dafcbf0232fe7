import type { ScreenRedirect } from "lectern/contracts";
import { callContribution, type Viewer } from "lectern/core";

/** The current path of a screen that was not found, with its query; undefined where it is unknown, and for forms. */
export async function movedTo(
  redirects: readonly ScreenRedirect[],
  { request, viewer }: { readonly request: Request; readonly viewer: Viewer },
): Promise<string | undefined> {
  if (request.method !== "GET") return undefined;
  const { pathname, search } = new URL(request.url);
  for (const redirect of redirects) {
    const path = await callContribution(redirect, async (each) => {
      const found: unknown = await each.find(pathname, viewer);
      if (found === undefined || typeof found === "string") return found;
      throw new Error("Cannot use what it returned: no path");
    });
    if (path !== undefined) return path + search;
  }
  return undefined;
}
