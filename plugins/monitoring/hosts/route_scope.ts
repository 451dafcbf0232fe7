/**
 * The route scope of agents: hosts authenticate with the headers X-API-ID and X-API-KEY, and errors are `{"error": "…"}`
 * (dashboard-stats 6.4). Credentials are checked before the body is read; failed ones are counted by address, valid ones by host. A
 * host is not a user: it is looked up by its viewer, whose id is 0.
 */
import { ApiError, frozenViewer, GUEST, matchesSecret, type RouteScope, type Viewer } from "lectern/core";
import { type Executor, prepared } from "lectern/db";
import { agentErrorSchema } from "./answers.ts";
import type { HostStatus, HostsContext } from "./contract.ts";
import { perMinute } from "./per_minute.ts";

/** An authenticated host. */
export interface KnownHost {
  readonly id: number;
  readonly name: string;
  readonly status: HostStatus;
  /** The hash of the packages that it last reported. */
  readonly packagesHash: string | null;
}

/** Failed authentications of an address in a minute. */
const FAILURES_PER_MINUTE = 60;
/** Longest API id that is looked up, in characters. */
const MAX_API_ID = 255;
const REQUIRED = new ApiError(401, "API credentials required");
const INVALID = new ApiError(401, "Invalid API credentials");
/** Compared for an unknown id, so that it takes as long as a wrong secret. */
const NO_HASH = "0".repeat(64);
const HOSTS = new WeakMap<Viewer, KnownHost>();

/** Paths below /api that agents request; those without a route answer in the shape of agents as well. */
const PREFIXES = ["hosts", "agents", "settings", "docker", "compliance", "patching"].map((name) => `/v1/${name}`);

const findByApiId = prepared("hosts.findByApiId", (db, p: { apiId: string }) =>
  db
    .selectFrom("hosts")
    .select(["id", "friendly_name as name", "status", "packages_hash as packagesHash", "api_key_hash as hash"])
    .where("api_id", "=", p.apiId),
);

/** Declares the scope: credentials, limits and error shape. `perHost` is in requests per minute, 0 for no limit. */
export function declareScope({ contribute, db, routeScope }: HostsContext, perHost: number): void {
  const failures = perMinute(FAILURES_PER_MINUTE);
  const requests = perMinute(perHost);
  const spec: RouteScope = {
    async authenticate(request, address) {
      failures.check(address);
      const host = await hostBy(db, request.headers.get("x-api-id"), request.headers.get("x-api-key"));
      if (host instanceof ApiError) failures.take(address);
      else requests.take(String(host.id));
      return host instanceof ApiError ? host : viewerOf(host);
    },
    limiter: null,
    ownBodies: true,
    formatError: agentError,
  };
  for (const prefix of PREFIXES) routeScope(prefix, spec);
  contribute("credential_scheme", {
    prefixes: PREFIXES,
    schemes: { hostId: headerScheme("X-API-ID"), hostKey: headerScheme("X-API-KEY") },
    error: agentErrorSchema,
  });
}

/** A header with a credential, for the OpenAPI document. */
export function headerScheme(name: string) {
  return { type: "apiKey", in: "header", name };
}

/** The body of an error in the shape that agents read. */
export function agentError(status: number, message: string, { details }: ApiError): Record<string, unknown> {
  if (status === 404) return { error: "Route not found" };
  return { error: status === 405 ? "Method not allowed" : message, ...details.extra };
}

/** The host of an agent's viewer. */
export function hostOf(viewer: Viewer): KnownHost {
  const host = HOSTS.get(viewer);
  if (!host) throw new Error(`Cannot answer an agent: "${viewer.name}" is not a host`);
  return host;
}

async function hostBy(db: Executor, apiId: string | null, secret: string | null): Promise<KnownHost | ApiError> {
  if (!apiId || !secret) return REQUIRED;
  const id = apiId.toWellFormed();
  if (id.length > MAX_API_ID || id.includes("\0")) return INVALID;
  const host = await findByApiId.executeTakeFirst(db, { apiId: id });
  return matchesSecret(secret, host?.hash ?? NO_HASH) && host ? host : INVALID;
}

function viewerOf(host: KnownHost): Viewer {
  const viewer = frozenViewer({ ...GUEST, name: host.name, slug: "", via: "key" });
  HOSTS.set(viewer, host);
  return viewer;
}
