/**
 * The paths of agents: who asks is a host, by the headers X-API-ID and X-API-KEY, and errors are `{"error": "…"}` as agents
 * read them (dashboard-stats 6.4). Credentials are judged before anything is read; wrong ones are counted by address, right
 * ones by host. A host is no user: what it is known by is kept beside its viewer, whose id is nobody's.
 */
import { ApiError, type AreaSpec, matchesSecret, type PluginContext, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { HostStatus } from "./contract.ts";
import { perMinute } from "./per_minute.ts";

/** A host that has shown its credentials. */
export interface KnownHost {
  readonly id: number;
  readonly name: string;
  readonly status: HostStatus;
  /** The packages it last reported. */
  readonly packagesHash: string | null;
}

type Reader = Pick<Db, "executeQuery">;

/** Wrong credentials an address may show in a minute. */
const WRONG_PER_MINUTE = 60;
/** Longest API id worth asking the store for, in characters. */
const MAX_API_ID = 255;
const REQUIRED = new ApiError(401, "API credentials required");
const INVALID = new ApiError(401, "Invalid API credentials");
/** A hash no secret has, so that an unknown id takes as long as a wrong secret. */
const NO_HASH = "0".repeat(64);
const HOSTS = new WeakMap<Viewer, KnownHost>();

/** Paths below /api that agents may ask for; what is not served of them answers in their shape as well. */
const PREFIXES = ["hosts", "agents", "settings", "docker", "compliance", "patching"].map((name) => `/v1/${name}`);

/** Gives the paths of agents their credentials, limits and error shape. `perHost` is in requests by minute, 0 for all. */
export function openArea({ area, db }: Pick<PluginContext<never, "hosts">, "area" | "db">, perHost: number): void {
  const wrong = perMinute(WRONG_PER_MINUTE);
  const right = perMinute(perHost);
  const spec: AreaSpec = {
    async authenticate(request, address) {
      wrong.check(address);
      const host = await hostBy(db, request.headers.get("x-api-id"), request.headers.get("x-api-key"));
      if (host instanceof ApiError) wrong.take(address);
      else right.take(String(host.id));
      return host instanceof ApiError ? host : viewerOf(host);
    },
    limiter: null,
    ownBodies: true,
    fault: agentError,
  };
  for (const prefix of PREFIXES) area(prefix, spec);
}

/** The body of an error as agents read it. */
export function agentError(status: number, message: string, { details }: ApiError): Record<string, unknown> {
  if (status === 404) return { error: "Route not found" };
  return { error: status === 405 ? "Method not allowed" : message, ...details.extra };
}

/** The host behind the viewer of an agent's route. */
export function hostOf(viewer: Viewer): KnownHost {
  const host = HOSTS.get(viewer);
  if (!host) throw new Error(`Cannot answer an agent: "${viewer.name}" is no host`);
  return host;
}

async function hostBy(db: Reader, apiId: string | null, secret: string | null): Promise<KnownHost | ApiError> {
  if (!apiId || !secret) return REQUIRED;
  const id = apiId.toWellFormed();
  if (id.length > MAX_API_ID || id.includes("\0")) return INVALID;
  const [host] = await rows(
    db,
    sql<KnownHost & { hash: string }>`select id, friendly_name as name, status, packages_hash as "packagesHash",
      api_key_hash as hash from hosts where api_id = ${id}`,
  );
  return matchesSecret(secret, host?.hash ?? NO_HASH) && host ? host : INVALID;
}

function viewerOf(host: KnownHost): Viewer {
  const viewer: Viewer = {
    id: 0,
    name: host.name,
    slug: "",
    roles: [],
    permissions: new Set(),
    admin: false,
    via: "key",
  };
  HOSTS.set(viewer, host);
  return viewer;
}
