import { callContributions } from "lectern/core";
import type { DashboardFigure, ExtendedStatistics, Fleet } from "./contract.ts";
import type { Reading } from "./statistics.ts";

/** Reads the figures of other plugins, by name; one that fails is left out. */
export async function figuresOf(figures: readonly DashboardFigure[]): Promise<Record<string, number>> {
  const read = await callContributions(
    figures,
    async (figure) => {
      const value = await figure.read();
      if (!Number.isFinite(value)) throw new Error("It returned no finite number");
      return [figure.name, value] as const;
    },
    ({ name }) => name,
  );
  return Object.fromEntries(read);
}

/** The statistics with further fields (dashboard-stats 1.5). A figure of a plugin never replaces a field. */
export async function extendedStatistics(
  { numbers, statistics }: Reading,
  fleet: Fleet,
  figures: Readonly<Record<string, number>>,
): Promise<ExtendedStatistics> {
  const details = await fleet.details();
  return {
    ...figures,
    ...statistics,
    reboot_required_hosts: numbers.rebooting,
    pending_hosts: numbers.pending,
    inactive_hosts: numbers.inactive,
    stale_hosts: details.stale,
    unique_outdated_packages: details.unique_outdated,
    unique_security_packages: details.unique_security,
    unique_as_of: details.at,
    os_versions: numbers.versions,
    update_interval_minutes: fleet.intervalMinutes,
  };
}
