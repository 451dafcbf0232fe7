import type { PluginContext } from "lectern/core";
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

/** A number that another plugin adds to the extended statistics and the metrics. */
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

declare module "lectern/core" {
  interface Slots {
    dashboard_figure: DashboardFigure;
  }
}
