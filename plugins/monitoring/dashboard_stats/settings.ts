import { BootError, MINUTE_MS, t } from "lectern/core";

/** Settings of the statistics. */
export const settings = t.Object({
  limit: t.Integer({
    default: 100,
    minimum: 0,
    env: "DASHBOARD_RATE_LIMIT_MAX",
    unit: "requests",
    description: "Requests for statistics that one address may send in a window; 0 for no limit",
  }),
  windowMs: t.Integer({
    default: 15 * MINUTE_MS,
    minimum: 1_000,
    env: "DASHBOARD_RATE_LIMIT_WINDOW_MS",
    unit: "milliseconds",
    description: "Length of that window",
  }),
  ttlMs: t.Integer({
    default: 0,
    minimum: 0,
    maximum: MINUTE_MS,
    env: "DASHBOARD_STATS_TTL_MS",
    unit: "milliseconds",
    description: "Maximum age of cached statistics",
  }),
  origins: t.String({
    default: "",
    env: "DASHBOARD_CORS_ORIGINS",
    description: "Origins, separated by commas, whose pages may read the statistics in a browser",
  }),
});

/** Parses a list of origins. Throws BootError for an entry that is not an origin as browsers send it. */
export function originsOf(list: string): string[] {
  const origins = list.split(",").map((origin) => origin.trim());
  return origins.filter(Boolean).map((origin) => {
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new BootError(
      `Cannot read DASHBOARD_CORS_ORIGINS: "${origin}" is not an origin; expected one such as "https://board.example.com"`,
    );
  });
}
