/**
 * The way to the numbers: CORS, then the limit by address, then the credentials, then the handler (dashboard-stats 1.1).
 * Every answer, whatever became of the request, carries the limit's headers and never a cookie; errors are
 * `{"error": "…"}`, which is another shape than the content API's and must not be mixed with it.
 */

import ipaddr from "ipaddr.js";
import { ApiError, type AreaSpec, type Contracts, memoryLimiter, type Viewer } from "lectern/core";
import { basicCredentials } from "./basic.ts";

/** What an operator chose about the way to the numbers. */
export interface GateOptions {
  /** Requests of one address in a window; 0 for any number. */
  readonly limit: number;
  readonly windowMs: number;
  /** Origins whose pages may read the numbers in a browser; none by default. */
  readonly origins: readonly string[];
}

type Allowance = ReturnType<ReturnType<typeof memoryLimiter>["take"]>;
type Judge = Contracts["dashboard_keys"]["judge"];
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
const UNAVAILABLE = new ApiError(503, "Service temporarily unavailable", { headers: { "retry-after": "5" } });

/** What the paths of the numbers are given. `failed` is told why credentials could not be judged. */
export function gateOf(judge: Judge, options: GateOptions, failed: (error: unknown) => void): AreaSpec {
  const { limit, windowMs } = options;
  const limiter = limit > 0 ? memoryLimiter(limit, windowMs) : undefined;
  const seconds = Math.round(windowMs / 1000);
  const origins = new Set(options.origins);
  return {
    limiter: null,
    ownBodies: true,
    fault: (status, message) => ({ error: faultText(status, message) }),
    authenticate: (request, address) => recognised(judge, request, address, failed),
    async around(request, address, next) {
      if (request.method === "OPTIONS") return shared(preflight(), request, origins);
      const allowance = limiter?.take(limitKey(address));
      const left = allowance ? Math.min(seconds, secondsUntil(allowance.resetsAt)) : 0;
      const response = await answered(request, allowance?.exceeded ? left : undefined, next);
      if (allowance) tellLimit(response.headers, allowance, seconds, left);
      return shared(response, request, origins);
    },
  };
}

/** `retryAfter` is in seconds, where there were too many requests. */
async function answered(
  request: Request,
  retryAfter: number | undefined,
  next: () => Promise<Response>,
): Promise<Response> {
  if (retryAfter !== undefined) return tooMany(retryAfter);
  if (READING.has(request.method)) return next();
  return Response.json({ error: "Method not allowed" }, { status: 405, headers: { allow: ALLOWED } });
}

async function recognised(
  judge: Judge,
  request: Request,
  address: string,
  failed: (error: unknown) => void,
): Promise<Viewer | ApiError> {
  const credentials = basicCredentials(request.headers.get("authorization"));
  if (!credentials) return MISSING;
  let verdict: Verdict;
  try {
    verdict = await judge("dashboard", credentials.key, credentials.secret, address);
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

function faultText(status: number, message: string): string {
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
function shared(response: Response, request: Request, origins: ReadonlySet<string>): Response {
  const { headers } = response;
  headers.set("vary", origins.size > 0 ? "Authorization, Accept-Encoding, Origin" : "Authorization, Accept-Encoding");
  const origin = request.headers.get("origin");
  if (origin === null || !origins.has(origin)) return response;
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", EXPOSED);
  if (request.method !== "OPTIONS") return response;
  headers.set("access-control-allow-methods", ALLOWED);
  headers.set("access-control-allow-headers", "Authorization, If-None-Match");
  headers.set("access-control-max-age", PREFLIGHT_SECONDS);
  return response;
}

/** Whose requests are counted together: an IPv4 address, or the half of an IPv6 address that names a network. */
export function limitKey(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, IPV6_GROUPS).join(":");
}
