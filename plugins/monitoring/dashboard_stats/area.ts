/**
 * The way to the numbers: CORS, then the limit by address, then the credentials, then the handler (dashboard-stats 1.1).
 * Every answer, whatever became of the request, carries the limit's headers and never a cookie; errors are
 * `{"error": "…"}`, which is another shape than the content API's and must not be mixed with it.
 */
import ipaddr from "ipaddr.js";
import { type Allowance, ApiError, type AreaSpec, type Contracts, type Limiter, type Viewer } from "lectern/core";
import { basicCredentials } from "./basic_credentials.ts";
import { TIMEOUT_MS, within } from "./statistics.ts";

/** What an operator chose about the way to the numbers. */
export interface GateOptions {
  /** Counts the requests of an address; undefined where any number is welcome. */
  readonly limiter: Limiter | undefined;
  readonly windowMs: number;
  /** Origins whose pages may read the numbers in a browser; none by default. */
  readonly origins: readonly string[];
}

type Judge = Contracts["dashboard_keys"]["check"];
type Verdict = Awaited<ReturnType<Judge>>;

const ALLOWED = "GET, HEAD, OPTIONS";
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const EXPOSED = "RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag";
const PREFLIGHT_SECONDS = "600";
/** Groups of an IPv6 address that one household or machine has for itself. */
const IPV6_GROUPS = 4;

const unauthorized = (message: string) =>
  new ApiError(401, message, { headers: { "www-authenticate": 'Basic realm="dashboard", charset="UTF-8"' } });
const MISSING = unauthorized("Missing or invalid authorization header");
/** Tells neither which keys exist nor of which kind one is. */
const INVALID = unauthorized("Invalid API key");
const REFUSALS = {
  unknown: INVALID,
  secret: INVALID,
  type: INVALID,
  inactive: unauthorized("API key is disabled"),
  expired: unauthorized("API key has expired"),
  address: new ApiError(403, "IP address not allowed"),
} as const;
/** What is answered while the store gives no answer (dashboard-stats 3.4). */
export const UNAVAILABLE: ApiError = new ApiError(503, "Service temporarily unavailable", {
  headers: { "retry-after": "5" },
});

/** What the gate asks of the plugin. */
export interface GateParts {
  readonly check: Judge;
  /** The empty answer to a request whose tag still holds; undefined for every other request. Throws as the route would. */
  unchanged(request: Request): Promise<Response | undefined>;
  /** Is told why credentials could not be judged, or requests not be counted. */
  failed(error: unknown): void;
}

/**
 * What the paths of the numbers are given. A request with a tag that still holds is answered here, behind the same
 * limit and credentials as every other: most polls are such, and the way to a route costs more than all the rest.
 */
export function gateOf(parts: GateParts, { limiter, windowMs, origins }: GateOptions): AreaSpec {
  const seconds = Math.round(windowMs / 1000);
  const shared = sharing(new Set(origins));
  const recognisedBefore = new WeakMap<Request, Viewer | ApiError>();
  const unchanged = async (request: Request, address: string) => {
    if (request.headers.get("if-none-match") === null) return undefined;
    const viewer = await recognised(parts, request, address);
    recognisedBefore.set(request, viewer);
    return viewer instanceof ApiError ? undefined : parts.unchanged(request);
  };
  const answered = async (request: Request, address: string, next: () => Promise<Response>) => {
    try {
      return (await unchanged(request, address)) ?? (await next());
    } catch (error) {
      if (error instanceof ApiError) return refusalOf(error);
      throw error;
    }
  };
  return {
    limiter: null,
    ownBodies: true,
    fault: (status, message) => ({ error: errorText(status, message) }),
    authenticate: (request, address) => recognisedBefore.get(request) ?? recognised(parts, request, address),
    async around(request, address, next) {
      if (request.method === "OPTIONS") return shared(request, preflight());
      let allowance: Allowance | undefined;
      try {
        allowance = await inTime(limiter?.take(limitKey(address)));
      } catch (error) {
        parts.failed(error);
        return shared(request, refusalOf(UNAVAILABLE));
      }
      const left = allowance ? Math.min(seconds, secondsUntil(allowance.resetsAt)) : 0;
      let response: Response;
      if (allowance?.exceeded) response = tooMany(left);
      else if (!READING.has(request.method)) response = methodRefused();
      else response = await answered(request, address, next);
      if (allowance) tellLimit(response.headers, allowance, seconds, left);
      return shared(request, response);
    },
  };
}

/** What mostly is there at once, and else has to come of the store in time. */
function inTime<T>(found: T | Promise<T>): T | Promise<T> {
  return found instanceof Promise ? within(TIMEOUT_MS, found) : found;
}

function refusalOf({ status, message, details }: ApiError): Response {
  return Response.json({ error: errorText(status, message) }, { status, headers: { ...details.headers } });
}

function methodRefused(): Response {
  return Response.json({ error: "Method not allowed" }, { status: 405, headers: { allow: ALLOWED } });
}

async function recognised({ check, failed }: GateParts, request: Request, address: string): Promise<Viewer | ApiError> {
  const credentials = basicCredentials(request.headers.get("authorization"));
  if (!credentials) return MISSING;
  let verdict: Verdict;
  try {
    verdict = await inTime(check("dashboard", credentials.key, credentials.secret, address));
  } catch (error) {
    failed(error);
    return UNAVAILABLE;
  }
  return "refused" in verdict ? REFUSALS[verdict.refused] : viewerOf(verdict.name);
}

/** A key is nobody: it has a name and may read the numbers. */
function viewerOf(name: string): Viewer {
  return { id: 0, name, slug: "", roles: [], permissions: new Set(), admin: false, via: "key" };
}

function errorText(status: number, message: string): string {
  return status === 404 ? "Route not found" : message;
}

function preflight(): Response {
  return new Response(null, { status: 204, headers: { allow: ALLOWED } });
}

function tooMany(retryAfter: number): Response {
  return Response.json(
    { error: "Too many requests from this IP, please try again later.", retryAfter },
    { status: 429, headers: { "retry-after": String(retryAfter) } },
  );
}

function tellLimit(headers: Headers, allowance: Allowance, windowSeconds: number, left: number): void {
  headers.set("ratelimit-policy", `${allowance.limit};w=${windowSeconds}`);
  headers.set("ratelimit-limit", String(allowance.limit));
  headers.set("ratelimit-remaining", String(allowance.remaining));
  headers.set("ratelimit-reset", String(left));
}

function secondsUntil(unixTime: number): number {
  return Math.max(1, Math.ceil(unixTime - Date.now() / 1000));
}

/** Lets pages of the named origins read an answer; without any named, no answer says a word of origins. */
function sharing(origins: ReadonlySet<string>): (request: Request, response: Response) => Response {
  const vary = origins.size > 0 ? "Authorization, Accept-Encoding, Origin" : "Authorization, Accept-Encoding";
  return (request, response) => {
    const { headers } = response;
    headers.set("vary", vary);
    const origin = origins.size > 0 ? request.headers.get("origin") : null;
    if (origin === null || !origins.has(origin)) return response;
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-expose-headers", EXPOSED);
    if (request.method !== "OPTIONS") return response;
    headers.set("access-control-allow-methods", ALLOWED);
    headers.set("access-control-allow-headers", "Authorization, If-None-Match");
    headers.set("access-control-max-age", PREFLIGHT_SECONDS);
    return response;
  };
}

/** Whose requests are counted together: an IPv4 address, or the half of an IPv6 address that names a network. */
export function limitKey(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, IPV6_GROUPS).join(":");
}
