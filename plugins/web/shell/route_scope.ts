/**
 * What encloses every screen: session authentication, rejection of cross-site forms, hooks of themes, and errors as documents. Forms
 * need no token: browsers mark cross-site requests (`isCrossSite`), and do not send SameSite cookies with them.
 */

import type { ScreenHook } from "lectern/contracts";
import { ApiError, GUEST, isCrossSite, type RouteScope, type Viewer } from "lectern/core";
import type { ShellContext } from "./contract.ts";
import { FORGET } from "./revalidation.ts";
import type { FailedRequest } from "./screens.ts";

/** How errors are shown. */
export interface ErrorScreens {
  /** The screen of an error, in the language of the viewer. */
  errorScreen(given: FailedRequest, status: number, message: string): Promise<Response>;
}

const READ_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const CROSS_SITE = new ApiError(
  403,
  "This form was sent from another site, or from an address this instance does not know",
);

/** The route scope of all paths outside the API. */
export function screenScope(
  { contracts: { instance_settings: settings, sessions }, origin, root, slot }: ShellContext,
  { errorScreen }: ErrorScreens,
): RouteScope {
  const viewers = new WeakMap<Request, Viewer>();
  const noted = (request: Request, viewer: Viewer | undefined) => {
    if (viewer) viewers.set(request, viewer);
    return viewer;
  };
  const readerOf = (request: Request) => {
    if (request.headers.has("authorization")) return undefined;
    const found = sessions.viewer(request);
    const viewer =
      found instanceof Promise ? found.then((one) => one ?? sessions.guest()) : (found ?? sessions.guest());
    if (!(viewer instanceof Promise)) return noted(request, viewer);
    return viewer.then((one) => noted(request, one));
  };
  return {
    outside: true,
    limiter: null,
    authenticate(request) {
      const isFresh = settings.fresh();
      if (!isFresh) return readerOf(request);
      // While the store is away, screens that need nothing of it, such as the form to sign in, are drawn by the settings of before.
      return isFresh.catch(() => undefined).then(() => readerOf(request));
    },
    async intercept(request, address, next) {
      const isDocument = acceptsHtml(request);
      if (!READ_METHODS.has(request.method) && isCrossSite(request, origin)) {
        if (!isDocument) throw CROSS_SITE;
        return errorScreen({ request, viewer: GUEST, address }, CROSS_SITE.status, CROSS_SITE.message);
      }
      for (const { before } of slot("screen_hook")) {
        const ended = await before?.(request);
        if (ended) return ended;
      }
      let response = await next();
      for (const { after } of slot("screen_hook")) if (after) response = await afterHook(after, request, response);
      if (response.status < 400 || !isDocument || !isJson(response)) return response;
      const viewer = viewers.get(request) ?? GUEST;
      if (response.status === 401 && viewer === GUEST) return toSignIn(request, root);
      const { error } = (await response.json()) as { error?: { message?: string } };
      const screen = await errorScreen({ request, viewer, address }, response.status, error?.message ?? "");
      for (const name of ["allow", "retry-after"]) {
        const value = response.headers.get(name);
        if (value !== null) screen.headers.set(name, value);
      }
      return screen;
    },
  };
}

/** The answer after a hook, which does not get the cookies that it sets, such as that of a new session. */
async function afterHook(
  after: NonNullable<ScreenHook["after"]>,
  request: Request,
  response: Response,
): Promise<Response> {
  const cookies = response.headers.getSetCookie();
  if (cookies.length === 0) return (await after(request, response)) ?? response;
  const headers = new Headers(response.headers);
  headers.delete("set-cookie");
  const shown = new Response(response.body, { status: response.status, headers });
  const answer = (await after(request, shown)) ?? shown;
  const all = new Headers(answer.headers);
  for (const cookie of cookies) all.append("set-cookie", cookie);
  return new Response(answer.body, { status: answer.status, headers: all });
}

/**
 * A redirect to the sign-in screen, which returns to a requested screen afterwards. A browser that names an entity tag keeps a screen of a session
 * that has ended elsewhere, and forgets all that it keeps, as at sign-out.
 */
export function toSignIn(request: Request, root: string): Response {
  const { pathname, search } = new URL(request.url);
  const next =
    READ_METHODS.has(request.method) && pathname !== "/" ? `?next=${encodeURIComponent(pathname + search)}` : "";
  const forget = request.headers.has("if-none-match") ? { "clear-site-data": FORGET } : {};
  return new Response(null, { status: 303, headers: { location: `${root}/login${next}`, ...forget } });
}

function acceptsHtml(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") === true;
}

function isJson(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") === true;
}
