/**
 * What the plugin of statistics declares: the slot of further figures, the answers of its routes, and what its files share. The
 * names and types of the answers are those that dashboards read (dashboard-stats 1 and 2).
 */
import { listOf, nullable, type PluginContext, type Static, t, timestampSchema } from "lectern/core";
import type { RateLimitUsage } from "./rate_limit_usage.ts";
import type { Reading } from "./statistics.ts";

/** What the files of this plugin share. */
export interface DashboardContext
  extends Pick<PluginContext<never, "dash_keys">, "app" | "baseUrl" | "db" | "log" | "slot" | "visible"> {
  readonly fleet: Fleet;
  /** Reads the numbers, or returns a reading that is recent enough. */
  readonly read: () => Promise<Reading>;
  readonly usage: RateLimitUsage;
  /** Requests of an address in a window; 0 for no limit. */
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * A number that another plugin adds to the extended statistics and the metrics.
 * @example
 * context.contribute("dashboard_figure", {
 *   name: "notes",
 *   about: "Number of notes",
 *   async read() {
 *     const found = await context.db.selectFrom("notes").select(({ fn }) => fn.countAll<number>().as("n")).executeTakeFirst();
 *     return Number(found?.n ?? 0);
 *   },
 * });
 */
export interface DashboardFigure {
  /** In snake_case: its key in the extended statistics and, after "lectern_", its name for Prometheus. */
  readonly name: string;
  /** What it counts, in a few words. */
  readonly about: string;
  /**
   * Reads the current value; has to be cheap, as dashboards poll every ten seconds. Where it throws, the figure is left out and
   * the error logged.
   */
  read(): Promise<number>;
}

/** The contract that the numbers come from. */
export type Fleet = PluginContext<"fleet">["contracts"]["fleet"];

const count = t.Integer({ minimum: 0 });
const statisticsFields = {
  total_hosts: count,
  hosts_needing_updates: count,
  up_to_date_hosts: t.Integer(),
  security_updates: count,
  hosts_with_security_updates: count,
  total_outdated_packages: count,
  total_repos: count,
  recent_updates_24h: count,
  os_distribution: listOf(t.Object({ name: t.String(), count }, { $id: "SystemCount" })),
  top_os_1_name: t.String(),
  top_os_1_count: count,
  top_os_2_name: t.String(),
  top_os_2_count: count,
  top_os_3_name: t.String(),
  top_os_3_count: count,
  last_updated: timestampSchema,
};

/** The statistics of hosts, in the shape that dashboards read (dashboard-stats 1.3). */
export const statisticsSchema = t.Object(statisticsFields, { $id: "DashboardStats" });

/** The statistics with further fields (dashboard-stats 1.5). The slot `dashboard_figure` adds figures by name. */
export const extendedStatisticsSchema = t.Object(
  {
    ...statisticsFields,
    reboot_required_hosts: count,
    pending_hosts: count,
    inactive_hosts: count,
    stale_hosts: count,
    unique_outdated_packages: count,
    unique_security_packages: count,
    unique_as_of: timestampSchema,
    os_versions: listOf(t.Object({ name: t.String(), version: t.String(), count })),
    update_interval_minutes: t.Integer(),
  },
  { $id: "ExtendedDashboardStats", additionalProperties: t.Number() },
);

/** The body of errors on the paths of dashboards. */
export const dashboardErrorSchema = t.Object(
  { error: t.String(), retryAfter: t.Optional(t.Integer({ description: "Seconds" })) },
  { $id: "DashboardError" },
);

/** The answer that a key works. */
export const healthSchema = t.Object(
  { status: t.String(), timestamp: timestampSchema, api_key: t.String({ description: "The name of the key" }) },
  { $id: "DashboardHealth" },
);

/** The used part of the rate limit by address. */
export const usageSchema = t.Object(
  {
    limit: count,
    window_seconds: count,
    addresses: t.Array(
      t.Object({
        address: t.String(),
        keys: t.Array(t.String()),
        used: t.Integer(),
        remaining: t.Integer(),
        resets_at: nullable(timestampSchema),
      }),
    ),
  },
  { $id: "DashboardUsage" },
);

const text = t.String();

/** Snippets for the configuration of dashboards. */
export const snippetsSchema = t.Object(
  {
    homepage: text,
    homepage_all: text,
    homepage_environment: text,
    homarr: text,
    glance: text,
    glance_environment: text,
    prometheus: text,
    curl: text,
  },
  { $id: "DashboardSnippets" },
);

/** The statistics with further fields. */
export type ExtendedStatistics = Static<typeof extendedStatisticsSchema>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/v1/dashboard/numbers": Static<typeof extendedStatisticsSchema>;
    "/api/v1/dashboard/usage": Static<typeof usageSchema>;
    [snippets: `/api/v1/dashboard/keys/${number}/snippets`]: Static<typeof snippetsSchema>;
  }
}

declare module "lectern/core" {
  interface Slots {
    dashboard_figure: DashboardFigure;
  }
}
