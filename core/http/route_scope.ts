/**
 * Route scopes: what applies to all paths below a prefix, also to those without a route. The parts of a scope run in the order
 * in which `RouteScope` lists them, each before the router.
 */
import { type ApiError, BootError } from "../errors.ts";
import type { Viewer } from "../viewer.ts";
import type { Allowance, Limiter } from "./rate_limit.ts";

/**
 * Authenticates a request: returns the viewer, an error to answer with, or undefined for credentials of another kind. What is none of
 * these, of a plugin that does not ship, is answered 503 and counted as its fault.
 */
export type Authenticate = (request: Request, address: string) => Recognised | Promise<Recognised>;
type Recognised = Viewer | ApiError | undefined;

/** Which pages of other origins may read the answers of a scope in a browser. */
export interface CorsOptions {
  /** Allowed origins, exact; none by default. */
  readonly origins: readonly string[];
  /** Headers that requests may have. */
  readonly allowHeaders: readonly string[];
  /** Headers of answers that pages may read. */
  readonly exposeHeaders: readonly string[];
  /** Seconds for which browsers keep the answer to a preflight request. */
  readonly maxAgeSeconds: number;
}

/** A limit that is counted before credentials are checked, by address. */
export interface AddressLimit {
  /** Counts a request. An ApiError that it throws is answered. */
  take(address: string): Allowance | Promise<Allowance>;
  /** Headers of the answers to counted requests. */
  headers(allowance: Allowance): Readonly<Record<string, string>>;
  /** The answer to a request beyond the limit. */
  exceeded(allowance: Allowance): ApiError;
}

/** What applies to all paths below a prefix: credentials, limits, CORS, entity tags, the shape of errors. */
export interface RouteScope {
  /** Whether the prefix is that of the whole path, and not of the path below /api. */
  readonly outside?: boolean;
  /**
   * Encloses everything else: answers without `next`, or changes the answer of `next`. An ApiError that it throws is answered in
   * the shape of the scope. For changes to whole answers; everything else has an option below.
   */
  readonly intercept?: (
    request: Request,
    address: string,
    next: () => Promise<Response>,
  ) => Response | Promise<Response>;
  /** Headers of every answer, unless a route sets them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers OPTIONS with 204 before anything is counted, and marks answers for the allowed origins. */
  readonly cors?: CorsOptions;
  /** Counted before credentials are checked. */
  readonly addressLimit?: AddressLimit;
  /** The methods of the scope, without HEAD and OPTIONS; others are a 405 before credentials are checked. */
  readonly methods?: readonly string[];
  /** Called before the authenticators of the runtime, which follow if it returns undefined. */
  readonly authenticate?: Authenticate;
  /** Replaces the limiter of the runtime; null for none. Outside the API, requests with an `Authorization` header keep it. */
  readonly limiter?: Limiter | null;
  /** The 304 to an authenticated request with `If-None-Match`, which is then not routed; undefined if its entity tag differs. */
  readonly notModified?: (request: Request) => Response | undefined | Promise<Response | undefined>;
  /** Whether bodies are not parsed: routes read `request` themselves and limit what they read. */
  readonly ownBodies?: boolean;
  /** The body of an error. */
  readonly formatError?: (status: number, message: string, error: ApiError) => unknown;
}

/** The route scopes of one runtime. */
export class RouteScopes {
  /** Longest prefix first. */
  readonly #scopes: { readonly prefix: string; readonly below: string; readonly spec: RouteScope }[] = [];
  /** Those of plugins that do not ship which see whole answers. */
  readonly #guests: { readonly plugin: string; readonly prefix: string }[] = [];
  /** The scope with the empty prefix, which covers every path outside the API. */
  #outside: RouteScope | undefined;

  /** Adds a scope; `prefix` is below /api unless `outside` is set. `guest` is the plugin, where it does not ship. */
  add(given: string, spec: RouteScope, guest?: string): void {
    const prefix = spec.outside ? given : `/api${given}`;
    if (guest !== undefined && spec.intercept) this.#guests.push({ plugin: guest, prefix });
    if (prefix === "") this.#outside ??= spec;
    else this.#scopes.push({ prefix, below: `${prefix}/`, spec });
    this.#scopes.sort((one, other) => other.prefix.length - one.prefix.length);
  }

  /**
   * Checks that no plugin which does not ship intercepts the answers to these routes of shipped ones: there are cookies and new tokens
   * in them. Throws BootError.
   */
  check(routes: readonly { readonly method: string; readonly path: string }[]): void {
    for (const { plugin, prefix } of this.#guests) {
      const covered = routes.find(({ path }) => isBelow(path, prefix));
      if (covered)
        throw new BootError(
          `The plugin "${plugin}" intercepts the route scope "${prefix || "/"}", which covers ${covered.method} ${covered.path} of a shipped plugin`,
        );
    }
  }

  /** The scope of a path: that of the longest prefix. */
  at(path: string): RouteScope | undefined {
    for (const { prefix, below, spec } of this.#scopes) if (path.startsWith(below) || path === prefix) return spec;
    return path.startsWith("/api/") || path === "/api" ? undefined : this.#outside;
  }
}

/**
 * Whether some path of a route, with parameters as `:name`, is in the scope of a prefix. A parameter stands for any name but the first
 * one: a route of all kinds of content, such as `/api/:segment/:id/export/:format`, is not in the scope of a prefix of its own.
 */
function isBelow(path: string, prefix: string): boolean {
  const parts = path.split("/");
  const first = prefix.startsWith("/api/") ? 2 : 1;
  return prefix
    .split("/")
    .every(
      (wanted, at) => wanted === "" || parts[at] === wanted || (at > first && parts[at]?.startsWith(":") === true),
    );
}

/** The answer to OPTIONS in a scope with `cors`. */
export function preflight({ cors, methods }: RouteScope, isAllowed: boolean): Response {
  const allow = allowOf(methods);
  const headers: Record<string, string> = allow === undefined ? {} : { allow };
  if (cors && isAllowed) {
    if (allow !== undefined) headers["access-control-allow-methods"] = allow;
    headers["access-control-allow-headers"] = cors.allowHeaders.join(", ");
    headers["access-control-max-age"] = String(cors.maxAgeSeconds);
  }
  return new Response(null, { status: 204, headers });
}

/** The value of `Allow` for the methods of a scope; undefined if it names none. */
export function allowOf(methods: readonly string[] | undefined): string | undefined {
  if (!methods) return undefined;
  return [...methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"].join(", ");
}

/** The headers of a scope for a request, and whether its origin is allowed. */
export function scopeHeaders(
  { cors, headers = {} }: RouteScope,
  request: Request,
): { readonly headers: Record<string, string>; readonly isAllowed: boolean } {
  const own: Record<string, string> = { ...headers };
  if (!cors || cors.origins.length === 0) return { headers: own, isAllowed: false };
  own.vary = own.vary === undefined ? "Origin" : `${own.vary}, Origin`;
  const origin = request.headers.get("origin");
  if (origin === null || !cors.origins.includes(origin)) return { headers: own, isAllowed: false };
  own["access-control-allow-origin"] = origin;
  own["access-control-expose-headers"] = cors.exposeHeaders.join(", ");
  return { headers: own, isAllowed: true };
}
