import type { DashboardFigure } from "./contract.ts";
import type { Reading } from "./statistics.ts";

/** The content type of the Prometheus text format. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The numbers in the Prometheus text format (dashboard-stats 7.2); all are gauges. */
export function metricsText(
  { numbers }: Reading,
  drift: number,
  figures: readonly DashboardFigure[],
  values: Readonly<Record<string, number>>,
): string {
  const gauges: readonly (readonly [name: string, help: string, value: number])[] = [
    ["patch_hosts", "Active hosts", numbers.hosts],
    ["patch_hosts_needing_updates", "Active hosts with outdated packages", numbers.needing],
    ["patch_hosts_security", "Active hosts with security updates", numbers.at_risk],
    ["patch_outdated_packages", "Outdated packages, over all active hosts", numbers.outdated],
    ["patch_security_updates", "Security updates, over all active hosts", numbers.security],
    ["patch_repositories", "Active repositories in use", numbers.repositories],
    ["patch_reports_24h", "Reports of the last 24 hours", numbers.reports_24h],
    ["patch_hosts_reboot_required", "Active hosts that want to be restarted", numbers.rebooting],
    ["patch_counter_drift", "Counters that the last recount found wrong", drift],
    ...figures.flatMap(({ name, about }) =>
      values[name] === undefined ? [] : [[`lectern_${name}`, about, values[name]] as const],
    ),
  ];
  const systems = numbers.systems.map(({ name, count }) => `patch_os_hosts{os="${escaped(name)}"} ${count}`);
  return [
    ...gauges.flatMap(([name, help, value]) => [...head(name, help), `${name} ${value}`]),
    ...head("patch_os_hosts", "Active hosts by system"),
    ...systems,
    "",
  ].join("\n");
}

function head(name: string, help: string): string[] {
  return [`# HELP ${name} ${help.replace(/[\\\n]/g, " ")}`, `# TYPE ${name} gauge`];
}

function escaped(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
