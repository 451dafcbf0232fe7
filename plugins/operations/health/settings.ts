import { type Static, t } from "lectern/core";

/** The operator's settings of monitoring. */
export const settings = t.Object({
  metricsToken: t.String({
    default: "",
    env: "METRICS_TOKEN",
    description: "Bearer token that opens /metrics",
  }),
  metricsAddresses: t.String({
    default: "",
    env: "METRICS_ADDRESSES",
    description: "Addresses or CIDR ranges that may read /metrics without a token, separated by commas",
  }),
});

/** Their values. */
export type HealthSettings = Static<typeof settings>;
