/**
 * Statistics for dashboards that poll (dashboard-stats 1, 2 and 7). It owns no table: numbers come from the contract
 * `fleet`, keys are judged by `dashboard_keys`, and other plugins add figures through the slot `dashboard_figure`. What is
 * its own is the way in (limit, credentials, errors) and the shape in which dashboards read.
 */
import { definePlugin } from "lectern/core";
import { mountOwn } from "./admin_routes.ts";
import { gateOf } from "./area.ts";
import { Windows } from "./rate_limit_usage.ts";
import { mountNumbers, mountSnippets, unchangedBy } from "./routes.ts";
import { originsOf, settings } from "./settings.ts";
import { coalesced, keptFor, readingOf, TIMEOUT_MS } from "./statistics.ts";

const PREFIXES = ["/v1/dashboard/stats", "/v1/dashboard/health", "/v1/dashboard/metrics", "/v1/gethomepage"];

export default definePlugin({
  name: "dashboard",
  requires: ["fleet", "dashboard_keys"],
  permissions: { read: ["dash_keys"] },
  settings,
  setup(context) {
    const { area, contracts, log } = context;
    const { limit, windowMs, ttlMs, origins } = context.settings;
    const { fleet, dashboard_keys: keys } = contracts;
    const read = keptFor(
      ttlMs,
      coalesced(async () => readingOf(await fleet.numbers()), TIMEOUT_MS),
    );
    const windows = new Windows(windowMs);
    const gate = gateOf(
      {
        check: (...asked) => keys.check(...asked),
        unchanged: unchangedBy(read, log),
        failed: (error) => log.error("Cannot judge who asks for numbers", { error }),
      },
      {
        limiter: limit > 0 ? windows.watching(context.limiter("address", limit, windowMs)) : undefined,
        windowMs,
        origins: originsOf(origins),
      },
    );
    for (const prefix of PREFIXES) area(prefix, gate);
    mountNumbers(context, { fleet, read });
    mountSnippets(context);
    mountOwn(context, { fleet, read, windows, limit, windowMs });
  },
});
