/**
 * The route scope of the statistics: CORS, a rate limit by address, credentials (dashboard-stats 1.1), and the 304 to a request
 * whose entity tag matches, which most polls are. Every answer has the headers of the limit and never a cookie. Errors are
 * `{"error": "…"}`, unlike those of the content API.
 */
import ipaddr from "ipaddr.js";
import {
  type Allowance,
  ApiError,
  type Contracts,
  frozenViewer,
  GUEST,
  type Limiter,
  type RouteScope,
  SECOND_MS,
  type Viewer,
} from "lectern/core";
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

const EXPOSED_HEADERS = [
  "RateLimit-Policy",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "ETag",
];
const PREFLIGHT_SECONDS = 600;
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

/** The route scope of the statistics. */
export function dashboardScope(
  handlers: DashboardScopeHandlers,
  { limiter, windowMs, origins }: DashboardScopeOptions,
): RouteScope {
  return {
    headers: { vary: "Authorization, Accept-Encoding" },
    cors: {
      origins,
      allowHeaders: ["Authorization", "If-None-Match"],
      exposeHeaders: EXPOSED_HEADERS,
      maxAgeSeconds: PREFLIGHT_SECONDS,
    },
    ...(limiter ? { addressLimit: addressLimit(limiter, Math.round(windowMs / SECOND_MS), handlers.onError) } : {}),
    methods: ["GET"],
    authenticate: (request, address) => authenticate(handlers, request, address),
    limiter: null,
    notModified: (request) => handlers.notModified(request),
    ownBodies: true,
    formatError: (status, message, { details }) => ({
      error: status === 404 ? "Route not found" : status === 405 ? "Method not allowed" : message,
      ...details.extra,
    }),
  };
}

function addressLimit(
  limiter: Limiter,
  windowSeconds: number,
  onError: DashboardScopeHandlers["onError"],
): NonNullable<RouteScope["addressLimit"]> {
  const secondsLeft = ({ resetsAt }: Allowance) =>
    Math.min(windowSeconds, Math.max(1, Math.ceil(resetsAt - Date.now() / SECOND_MS)));
  const failed = (error: unknown): never => {
    onError(error);
    throw UNAVAILABLE;
  };
  return {
    take(address) {
      const taken = inTime(limiter.take(limitKey(address)));
      return taken instanceof Promise ? taken.catch(failed) : taken;
    },
    headers: (allowance) => ({
      "ratelimit-policy": `${allowance.limit};w=${windowSeconds}`,
      "ratelimit-limit": String(allowance.limit),
      "ratelimit-remaining": String(allowance.remaining),
      "ratelimit-reset": String(secondsLeft(allowance)),
    }),
    exceeded(allowance) {
      const retryAfter = secondsLeft(allowance);
      return new ApiError(429, "Too many requests from this IP, please try again later.", {
        headers: { "retry-after": String(retryAfter) },
        extra: { retryAfter },
      });
    },
  };
}

/** Limits the time of a promise; a result that is there already stays synchronous. */
function inTime<T>(result: T | Promise<T>): T | Promise<T> {
  return result instanceof Promise ? withTimeout(TIMEOUT_MS, result) : result;
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
  return frozenViewer({ ...GUEST, name, slug: "", via: "key" });
}

/** The key that requests are counted by: an IPv4 address, or the network half of an IPv6 address. */
export function limitKey(address: string): string {
  if (!address.includes(":") || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).parts.slice(0, IPV6_GROUPS).join(":");
}
