/**
 * What stands around every screen: who looks, forms of other sites refused, errors as documents, and the headers of a
 * document. Forms carry no token: browsers say of every request whether it comes from this site (`isForeign`), and cookies do
 * not travel with foreign forms (SameSite).
 */
import type { Sessions } from "lectern/contracts";
import { ApiError, type AreaSpec, GUEST, type Html, isCrossSite, type ScreenHook, type Viewer } from "lectern/core";

/** What the area needs of the plugin. */
export interface AreaParts {
  readonly sessions: Sessions;
  /** The origin of APP_URL. */
  readonly origin: string;
  readonly root: string;
  /** What a theme puts around every screen. */
  hooks(): readonly ScreenHook[];
  /** The document of an error, for a reader in their language. */
  errorScreen(request: Request, viewer: Viewer, status: number, message: string): Promise<Html>;
  document(body: Html, status: number): Response;
}

const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const FOREIGN = new ApiError(
  403,
  "This form was sent from another site, or from an address this instance does not know",
);

/** The area around everything outside the API. */
export function areaOf({ sessions, origin, root, hooks, errorScreen: fault, document }: AreaParts): AreaSpec {
  const visitors = new WeakMap<Request, Viewer>();
  return {
    outside: true,
    limiter: null,
    async authenticate(request) {
      if (request.headers.has("authorization")) return undefined;
      const viewer = (await sessions.viewer(request)) ?? (await sessions.guest());
      if (viewer) visitors.set(request, viewer);
      return viewer;
    },
    async around(request, _address, next) {
      const isDocument = wantsDocument(request);
      if (!READING.has(request.method) && isCrossSite(request, origin)) {
        if (!isDocument) throw FOREIGN;
        return document(await fault(request, GUEST, FOREIGN.status, FOREIGN.message), FOREIGN.status);
      }
      for (const { before } of hooks()) {
        const ended = await before?.(request);
        if (ended) return ended;
      }
      let response = await next();
      for (const { after } of hooks()) response = (await after?.(request, response)) ?? response;
      if (response.status < 400 || !isDocument || !isJson(response)) return response;
      const viewer = visitors.get(request) ?? GUEST;
      if (response.status === 401 && viewer === GUEST) return toSignIn(request, root);
      const { error } = (await response.json()) as { error?: { message?: string } };
      const invalidField = document(
        await fault(request, viewer, response.status, error?.message ?? ""),
        response.status,
      );
      for (const name of ["allow", "retry-after"]) {
        const value = response.headers.get(name);
        if (value !== null) invalidField.headers.set(name, value);
      }
      return invalidField;
    },
  };
}

/** Where those go who have to sign in first; they come back to where they were when they asked for a screen. */
export function toSignIn(request: Request, root: string): Response {
  const { pathname, search } = new URL(request.url);
  const next = READING.has(request.method) && pathname !== "/" ? `?next=${encodeURIComponent(pathname + search)}` : "";
  return new Response(null, { status: 303, headers: { location: `${root}/login${next}` } });
}

function wantsDocument(request: Request): boolean {
  return request.headers.get("accept")?.includes("text/html") === true;
}

function isJson(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") === true;
}
