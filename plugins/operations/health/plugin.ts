/**
 * For load balancers and monitoring: `/health` answers while the process does, `/ready` while it can serve requests, `/metrics`
 * in the format of Prometheus. The first two need no credentials and give no details; metrics are closed until a token or
 * addresses are set.
 */
import { definePlugin } from "lectern/core";
import { registerMetrics } from "./metrics.ts";
import { mountHealth } from "./routes.ts";
import { settings } from "./settings.ts";

export default definePlugin({
  name: "health",
  permissions: { read: ["jobs"] },
  settings,
  setup(context) {
    const scrape = registerMetrics(context);
    mountHealth(context, scrape);
  },
});
