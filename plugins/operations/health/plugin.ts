/**
 * For load balancers and monitoring: `/health` answers while the process does, `/ready` while it can serve requests, `/metrics`
 * in the format of Prometheus. The first two need no credentials and give no details; metrics are closed until a token or
 * addresses are set.
 */
import { metricSlots } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import type { MetricObject } from "prom-client";
import type { Metrics } from "./metrics.ts";
import { observe } from "./observed.ts";
import { mountHealth } from "./routes.ts";
import { settings } from "./settings.ts";

/** What workers ask each other for. */
const TOPIC = "metrics";

export default definePlugin({
  name: "health",
  requires: ["peers", "telemetry"],
  grants: { read: ["jobs"], auth: true },
  settings,
  slots: metricSlots,
  setup(context) {
    const observed = observe(context);
    let loading: Promise<Metrics> | undefined;
    const metrics = () =>
      (loading ??= import("./metrics.ts").then(({ registerMetrics }) => registerMetrics(context, observed)));
    const { peers } = context.contracts;
    peers.onAsk(TOPIC, async () => (await metrics()).list());
    mountHealth(context, async () => {
      // A scrape reaches one worker of a server, and is to show them all.
      const others = peers.ask(TOPIC) as Promise<MetricObject[][]>;
      const { contentType, text } = await metrics();
      return { contentType, text: await text(others) };
    });
  },
});
