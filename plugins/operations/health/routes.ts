import { ApiError, GUEST, isWithin, localizedError, matchesSecret, networksOf, sha256 } from "lectern/core";
import type { HealthContext } from "./contract.ts";

/** The whole answer of a probe, without details that would help an attacker. */
const PASS = { status: "pass" } as const;
/** Requests are served, but a part of a plugin is left out or did not end in time: administrators see which. */
const DEGRADED = { status: "degraded" } as const;
const NOT_READY = new ApiError(503, "The server is not ready", { headers: { "retry-after": "5" } });
const CLOSED = localizedError(404, "The route :route could not be found.", { route: "metrics" });
const UNAUTHORIZED = new ApiError(401, "A token is required", { headers: { "www-authenticate": "Bearer" } });

/**
 * Mounts `/health`, `/ready` and `/metrics`, without rate limits: probes and scrapes are regular. `scrape` returns the metrics as
 * text, and its media type.
 */
export function mountHealth(
  context: HealthContext,
  scrape: () => Promise<{ readonly text: string; readonly contentType: string }>,
): void {
  const { app, contracts, routeScope } = context;
  const { telemetry } = contracts;
  for (const prefix of ["/health", "/ready", "/metrics"])
    routeScope(prefix, { outside: true, authenticate: () => GUEST, limiter: null });
  const mayScrape = scrapeCheck(context.settings);
  app.site.get("/health", () => PASS, { permit: "public" });
  app.site.get(
    "/ready",
    async () => {
      if (!telemetry.isWorking() || !(await isStoreCurrent(context))) throw NOT_READY;
      return telemetry.isDegraded() ? DEGRADED : PASS;
    },
    { permit: "public" },
  );
  app.site.get(
    "/metrics",
    async ({ address, request, set }) => {
      mayScrape(request, address);
      const { text, contentType } = await scrape();
      set.headers["content-type"] = contentType;
      return text;
    },
    { permit: "public" },
  );
}

/** Whether the store answers, and has the tables of this version. */
async function isStoreCurrent({ contracts, log }: HealthContext): Promise<boolean> {
  try {
    const isCurrent = await contracts.telemetry.isMigrated();
    if (!isCurrent) log.warn("The store lacks migrations of this version; restart the server to run them");
    return isCurrent;
  } catch (error) {
    log.warn("The store does not answer a readiness probe", { error });
    return false;
  }
}

/** Throws 404 where metrics are closed to everybody, 401 for a wrong or missing token. */
function scrapeCheck({ metricsAddresses, metricsToken }: HealthContext["settings"]) {
  const networks = networksOf("METRICS_ADDRESSES", metricsAddresses);
  const hash = sha256(metricsToken);
  return ({ headers }: Request, address: string): void => {
    if (metricsToken === "" && networks === "none") throw CLOSED;
    if (address !== "" && isWithin(networks, address)) return;
    if (metricsToken === "") throw CLOSED;
    const [, given = ""] = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
    if (!matchesSecret(given, hash)) throw UNAUTHORIZED;
  };
}
