/**
 * Statistics for dashboards that poll (dashboard-stats 1, 2 and 7). The plugin owns no table: numbers come from the contract
 * `fleet`, `dashboard_keys` checks the keys, and other plugins add figures through the slot `dashboard_figure`. Its own are
 * the route scope (rate limit, credentials, error shape) and the shape of the answers.
 */
import { definePlugin } from "lectern/core";
import { mountAdminRoutes } from "./admin_routes.ts";
import { dashboardErrorSchema } from "./contract.ts";
import { RateLimitUsage } from "./rate_limit_usage.ts";
import { dashboardScope } from "./route_scope.ts";
import { mountSnippets, mountStatisticsRoutes, notModifiedBy } from "./routes.ts";
import { originsOf, settings } from "./settings.ts";
import { cacheFor, coalesce, TIMEOUT_MS } from "./shared_reads.ts";
import { Reading } from "./statistics.ts";

const PREFIXES = ["/v1/dashboard/stats", "/v1/dashboard/health", "/v1/dashboard/metrics", "/v1/gethomepage"];

export default definePlugin({
  name: "dashboard",
  requires: ["fleet", "dashboard_keys"],
  grants: { read: ["dash_keys"], auth: true },
  settings,
  slots: {
    dashboard_figure: { members: { name: "text", about: "text", read: "function" }, limit: "readers" },
  },
  setup(context) {
    const { contracts, contribute, log, routeScope } = context;
    const { limit, windowMs, ttlMs, origins } = context.settings;
    const { fleet, dashboard_keys: keys } = contracts;
    let last: Reading | undefined;
    const readNumbers = async () => {
      last = new Reading(await fleet.numbers(), last);
      return last;
    };
    const read = cacheFor(ttlMs, coalesce(readNumbers, TIMEOUT_MS));
    const usage = new RateLimitUsage(windowMs);
    const spec = dashboardScope(
      {
        check: (...credentials) => keys.check(...credentials),
        notModified: notModifiedBy(read, log),
        onError: (error) => log.error("Cannot check a request for statistics", { error }),
      },
      {
        limiter: limit > 0 ? usage.recording(context.limiter("address", limit, windowMs)) : undefined,
        windowMs,
        origins: originsOf(origins),
      },
    );
    for (const prefix of PREFIXES) routeScope(prefix, spec);
    contribute("credential_scheme", {
      prefixes: PREFIXES,
      schemes: { dashboardKey: { type: "http", scheme: "basic", description: "A dashboard key and its secret" } },
      error: dashboardErrorSchema,
    });
    const shared = { ...context, fleet, read, usage, limit, windowMs };
    mountStatisticsRoutes(shared);
    mountSnippets(shared);
    mountAdminRoutes(shared);
  },
});
