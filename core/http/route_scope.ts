import type { ApiError } from "../errors.ts";
import type { Viewer } from "../viewer.ts";
import type { Limiter } from "./rate_limit.ts";

/** Authenticates a request: returns the viewer, an error to answer with, or undefined for credentials of another kind. */
export type Authenticate = (request: Request, address: string) => Recognised | Promise<Recognised>;
type Recognised = Viewer | ApiError | undefined;

/** What applies to all paths below a prefix: credentials, a limit, the shape of errors. */
export interface RouteScope {
  /** Whether the prefix is that of the whole path, and not of the path below /api. */
  readonly outside?: boolean;
  /** Called before the authenticators of the runtime, which follow if it returns undefined. */
  readonly authenticate?: Authenticate;
  /** Replaces the limiter of the runtime; null for none. Outside the API, requests with an `Authorization` header keep it. */
  readonly limiter?: Limiter | null;
  /**
   * Wraps everything else: answers without `next`, or changes the answer of `next`. An ApiError that it throws is answered in
   * the shape of the scope.
   */
  readonly intercept?: (
    request: Request,
    address: string,
    next: () => Promise<Response>,
  ) => Response | Promise<Response>;
  /** Whether bodies are not parsed: routes read `request` themselves and limit what they read. */
  readonly ownBodies?: boolean;
  /** The body of an error. */
  readonly formatError?: (status: number, message: string, error: ApiError) => unknown;
}

/** The route scopes of one runtime. */
export class RouteScopes {
  readonly #scopes: { prefix: string; spec: RouteScope }[] = [];

  /** Adds a scope; `prefix` is below /api unless `outside` is set. */
  add(prefix: string, spec: RouteScope): void {
    this.#scopes.push({ prefix: spec.outside ? prefix : `/api${prefix}`, spec });
  }

  /** The scope of a path: that of the longest prefix. The empty prefix covers every path outside the API. */
  at(path: string): RouteScope | undefined {
    let found: { prefix: string; spec: RouteScope } | undefined;
    for (const scope of this.#scopes) {
      const { prefix } = scope;
      if (found && found.prefix.length >= prefix.length) continue;
      if (prefix === "" ? !/^\/api(\/|$)/.test(path) : path === prefix || path.startsWith(`${prefix}/`)) found = scope;
    }
    return found?.spec;
  }
}
