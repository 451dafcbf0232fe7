import { BootError, t } from "lectern/core";

/** What an operator may set about the numbers. */
export const settings = t.Object({
  limit: t.Integer({
    default: 100,
    minimum: 0,
    env: "DASHBOARD_RATE_LIMIT_MAX",
    description: "Requests of one address for numbers in a window; 0 for any number",
  }),
  windowMs: t.Integer({
    default: 900_000,
    minimum: 1_000,
    env: "DASHBOARD_RATE_LIMIT_WINDOW_MS",
    description: "That window in milliseconds",
  }),
  ttlMs: t.Integer({
    default: 0,
    minimum: 0,
    maximum: 60_000,
    env: "DASHBOARD_STATS_TTL_MS",
    description: "How old numbers may be, in milliseconds",
  }),
  origins: t.String({
    default: "",
    env: "DASHBOARD_CORS_ORIGINS",
    description: "Origins, separated by commas, whose pages may read the numbers in a browser",
  }),
});

/** The origins of a list. Throws BootError for what a browser would never send as one. */
export function originsOf(list: string): string[] {
  const origins = list.split(",").map((origin) => origin.trim());
  return origins.filter(Boolean).map((origin) => {
    if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
    throw new BootError(
      `Cannot read DASHBOARD_CORS_ORIGINS: "${origin}" is no origin, wanted one such as "https://board.example.com"`,
    );
  });
}
