/**
 * What encloses the routes of the statistics, in this order: CORS, rate limit by address, credentials, handler (dashboard-stats
 * 1.1). Every answer has the headers of the limit and never a cookie. Errors are `{"error": "…"}`, unlike those of
 * the content API.
 */
import ipaddr from "ipaddr.js";
import { type Allowance, ApiError, type Contracts, type Limiter, type RouteScope, type Viewer } from "lectern/core";
import { basicCredentials } from "./basic_credentials.ts";
import { TIMEOUT_MS, withTimeout } from "./shared_reads.ts";

/** The operator's settings. */
export interface DashboardScopeOptions {
  /** Counts the requests of an address; undefined for no limit. */
  readonly limiter: Limiter | undefined;
  readonly windowMs: number;
  /** Origins whose pages may read the statistics in a browser; none by default. */
  readonly origins: readonly string[];
}

type CheckKey = Contracts["dashboard_keys"]["check"];
type KeyCheck = Awaited<ReturnType<CheckKey>>;

const ALLOWED_METHODS = "GET, HEAD, OPTIONS";
const READ_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const EXPOSED_HEADERS = "RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag";
const PREFLIGHT_SECONDS = "600";
/** Leading groups of an IPv6 address that are assigned to one network, such as a household. */
const IPV6_GROUPS = 4;

const unauthorized = (message: string) =>
  new ApiError(401, message, { headers: { "www-authenticate": 'Basic realm="dashboard", charset="UTF-8"' } });
const MISSING = unauthorized("Missing or invalid authorization header");
/** Reveals neither which keys exist nor the type of one. */
const INVALID = unauthorized("Invalid API key");
const REJECTIONS = {
  unknown: INVALID,
  secret: INVALID,
  type: INVALID,
  inactive: unauthorized("API key is disabled"),
  expired: unauthorized("API key has expired"),
  address: new ApiError(403, "IP address not allowed"),
} as const;
/** Answered while the store does not respond (dashboard-stats 3.4). */
export const UNAVAILABLE: ApiError = new ApiError(503, "Service temporarily unavailable", {
  headers: { "retry-after": "5" },
});

/** Dependencies of the scope. */
export interface DashboardScopeHandlers {
  readonly check: CheckKey;
  /** The 304 for a request whose entity tag matches; undefined for every other request. Throws as the route does. */
  notModified(request: Request): Promise<Response | undefined>;
  /** Called where credentials could not be checked or requests not be counted. */
  onError(error: unknown): void;
}

/**
 * The route scope of the statistics. A request whose entity tag matches is answered here, behind the same limit and credentials as every
 * other: most polls are such, and routing costs more than all the rest.
 */
export function dashboardScope(
  handlers: DashboardScopeHandlers,
  { limiter, windowMs, origins }: DashboardScopeOptions,
): RouteScope {
  const seconds = Math.round(windowMs / 1000);
  const withCors = corsFor(new Set(origins));
  const authenticated = new WeakMap<Request, Viewer | ApiError>();
  const notModified = async (request: Request, address: string) => {
    if (request.headers.get("if-none-match") === null) return undefined;
    const viewer = await authenticate(handlers, request, address);
    authenticated.set(request, viewer);
    return viewer instanceof ApiError ? undefined : handlers.notModified(request);
  };
  const respond = async (request: Request, address: string, next: () => Promise<Response>) => {
    try {
      return (await notModified(request, address)) ?? (await next());
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error);
      throw error;
    }
  };
  return {
    limiter: null,
    ownBodies: true,
    formatError: (status, message) => ({ error: errorText(status, message) }),
    authenticate: (request, address) => authenticated.get(request) ?? authenticate(handlers, request, address),
    async intercept(request, address, next) {
      if (request.method === "OPTIONS") return withCors(request, preflight());
      let allowance: Allowance | undefined;
      try {
        allowance = await inTime(limiter?.take(limitKey(address)));
      } catch (error) {
        handlers.onError(error);
        return withCors(request, errorResponse(UNAVAILABLE));
      }
      const left = allowance ? Math.min(seconds, secondsUntil(allowance.resetsAt)) : 0;
      let response: Response;
      if (allowance?.exceeded) response = tooManyRequests(left);
      else if (!READ_METHODS.has(request.method)) response = methodNotAllowed();
      else response = await respond(request, address, next);
      if (allowance) setLimitHeaders(response.headers, allowance, seconds, left);
      return withCors(request, response);
    },
  };
}

/** Limits the time of a promise; a result that is there already stays synchronous. */
function inTime<T>(result: T | Promise<T>): T | Promise<T> {
  return result instanceof Promise ? withTimeout(TIMEOUT_MS, result) : result;
}

function errorResponse({ status, message, details }: ApiError): Response {
  return Response.json({ error: errorText(status, message) }, { status, headers: { ...details.headers } });
}

function methodNotAllowed(): Response {
  return Response.json({ error: "Method not allowed" }, { status: 405, headers: { allow: ALLOWED_METHODS } });
}

async function authenticate(
  { check: checkKey, onError }: DashboardScopeHandlers,
  request: Request,
  address: string,
): Promise<Viewer | ApiError> {
  const credentials = basicCredentials(request.headers.get("authorization"));
  if (!credentials) return MISSING;
  let check: KeyCheck;
  try {
    check = await inTime(checkKey("dashboard", credentials.key, credentials.secret, address));
  } catch (error) {
    onError(error);
    return UNAVAILABLE;
  }
  return "refused" in check ? REJECTIONS[check.refused] : viewerOf(check.name);
}

/** The viewer of a key: no user, with the name of the key and no permissions. */
function viewerOf(name: string): Viewer {
  return { id: 0, name, slug: "", roles: [], permissions: new Set(), admin: false, via: "key" };
}

function errorText(status: number, message: string): string {
  return status === 404 ? "Route not found" : message;
}

function preflight(): Response {
  return new Response(null, { status: 204, headers: { allow: ALLOWED_METHODS } });
}

function tooManyRequests(retryAfter: number): Response {
  return Response.json(
    { error: "Too many requests from this IP, please try again later.", retryAfter },
    { status: 429, headers: { "retry-after": String(retryAfter) } },
  );
}

function setLimitHeaders(headers: Headers, allowance: Allowance, windowSeconds: number, left: number): void {
  headers.set("ratelimit-policy", `${allowance.limit};w=${windowSeconds}`);
  headers.set("ratelimit-limit", String(allowance.limit));
  headers.set("ratelimit-remaining", String(allowance.remaining));
  headers.set("ratelimit-reset", String(left));
}

function secondsUntil(unixTime: number): number {
  return Math.max(1, Math.ceil(unixTime - Date.now() / 1000));
}

/** Sets the CORS headers for the allowed origins; without any, no answer mentions origins. */
function corsFor(origins: ReadonlySet<string>): (request: Request, response: Response) => Response {
  const vary = origins.size > 0 ? "Authorization, Accept-Encoding, Origin" : "Authorization, Accept-Encoding";
  return (request, response) => {
    const { headers } = response;
    headers.set("vary", vary);
    const origin = origins.size > 0 ? request.headers.get("origin") : null;
    if (origin === null || !origins.has(origin)) return response;
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-expose-headers", EXPOSED_HEADERS);
    if (request.method !== "OPTIONS") return response;
    headers.set("access-control-allow-methods", ALLOWED_METHODS);
    headers.set("access-control-allow-headers", "Authorization, If-None-Match");
    headers.set("access-control-max-age", PREFLIGHT_SECONDS);
    return response;
  };
}

/** The key that requests are counted by: an IPv4 address, or the network half of an IPv6 address. */
export function limitKey(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, IPV6_GROUPS).join(":");
}
