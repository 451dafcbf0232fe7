import type { PluginContext } from "lectern/core";

/** A number that another plugin shows to dashboards, beside those of the hosts. */
export interface DashboardFigure {
  /** In snake_case: its key in the extended statistics and, after "lectern_", its name for Prometheus. */
  readonly name: string;
  /** What it counts, in a few words. */
  readonly about: string;
  /** As of now; costs as little as a poll every ten seconds deserves. One that throws is left out and logged. */
  read(): Promise<number>;
}

/** The numbers as they come from the contract `fleet`. */
export type Fleet = PluginContext<"fleet">["contracts"]["fleet"];

declare module "lectern/core" {
  interface Slots {
    dashboard_figure: DashboardFigure;
  }
}
