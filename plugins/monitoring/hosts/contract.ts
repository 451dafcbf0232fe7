/**
 * Tables of hosts, reports of agents, events, and the contract `fleet`, by which other plugins read the numbers. No type here has
 * a secret.
 */
import type { Generated, Selectable } from "kysely";
import type { PluginContext } from "lectern/core";

/** What the files of this plugin share. */
export type HostsContext = Pick<
  PluginContext<"dashboard_keys", "hosts" | "host_history">,
  | "app"
  | "baseUrl"
  | "contracts"
  | "contribute"
  | "db"
  | "list"
  | "log"
  | "perform"
  | "routeScope"
  | "validate"
  | "visible"
>;

/** The states of a host (dashboard-stats 6.5); only active ones count. */
export type HostStatus = "pending" | "active" | "inactive";

/** Monitored hosts. */
export interface HostsTable {
  id: Generated<number>;
  friendly_name: string;
  hostname: string | null;
  ip: string | null;
  machine_id: string | null;
  /** The machine id sent with its enrolment; null where there was none. */
  enrolled_as: string | null;
  /** Normalised by `os_names.ts`. */
  os_name: Generated<string>;
  os_version: Generated<string>;
  architecture: string | null;
  kernel_version: string | null;
  agent_version: string | null;
  status: Generated<HostStatus>;
  /** Why it is inactive: set by an administrator, or no contact for too long. */
  inactive_reason: Generated<"manual" | "stale" | null>;
  n_packages: Generated<number>;
  n_outdated: Generated<number>;
  n_security: Generated<number>;
  needs_reboot: Generated<boolean>;
  reboot_reason: string | null;
  /** Hashes of the sections last reported; null makes the agent send the section again. */
  packages_hash: string | null;
  repos_hash: string | null;
  interfaces_hash: string | null;
  hostname_hash: string | null;
  last_seen_at: string | null;
  last_report_at: string | null;
  /** The value of X-API-ID. */
  api_id: string;
  /** SHA-256 of the value of X-API-KEY, as hex. */
  api_key_hash: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** Names of packages that were ever outdated on a host; rows are only added. */
export interface PackagesTable {
  id: Generated<number>;
  name: string;
}

/** Outdated packages of hosts. */
export interface HostOutdatedTable {
  host_id: number;
  package_id: number;
  security: boolean;
  current_version: string;
  available_version: string;
}

/** All packages of hosts, as gzipped JSON rows `[name, current, available, flags]`. */
export interface HostInventoryTable {
  host_id: number;
  packages: Uint8Array;
}

/** Package repositories. */
export interface RepositoriesTable {
  id: Generated<number>;
  name: string;
  url: string;
  distribution: string;
  components: string;
  repo_type: string;
  is_secure: boolean;
  is_active: Generated<boolean>;
  /** Number of hosts that use it; maintained by a trigger. */
  n_hosts: Generated<number>;
}

/** Repositories of hosts. */
export interface HostRepositoriesTable {
  host_id: number;
  repository_id: number;
  is_enabled: boolean;
}

/** Accepted reports. */
export interface HostReportsTable {
  id: Generated<number>;
  host_id: number;
  received_at: Generated<string>;
  kind: "full" | "partial";
  n_packages: number;
  n_outdated: number;
  n_security: number;
}

/** The columns of the counts of hosts. */
interface HostCounts {
  hosts: number;
  /** Hosts with outdated packages. */
  needing: number;
  /** Hosts with security updates. */
  at_risk: number;
  /** Outdated packages. */
  outdated: number;
  /** Security updates. */
  security: number;
  /** Hosts that need a restart. */
  rebooting: number;
}

/** Sums over the hosts of one status, system and shard; maintained by triggers. */
export interface HostTotalsTable extends HostCounts {
  status: HostStatus;
  os_name: string;
  os_version: string;
  shard: number;
}

/** Numbers of reports by intervals of `seconds`; maintained by triggers. */
export interface ReportCountsTable {
  seconds: number;
  starts_at: string;
  shard: number;
  n: number;
}

/** The numbers of active hosts at the start of each hour in which a server ran. */
export interface HostHistoryTable extends HostCounts {
  at: string;
}

/** A row of the table. */
export type HostRow = Selectable<HostsTable>;

/** A host in event drafts and results; has no credentials. */
export interface HostFacts {
  readonly id: number;
  /** The friendly name. */
  readonly name: string;
  readonly status: HostStatus;
}

/** A new host. */
export interface HostDraft {
  readonly friendly_name: string;
  readonly machine_id?: string;
}

/** A change of a host; absent fields stay. */
export interface HostChange {
  readonly friendly_name?: string;
  readonly status?: "active" | "inactive";
}

/** A package of a host. */
export interface PackageEntry {
  readonly name: string;
  readonly current: string;
  readonly available: string;
  readonly outdated: boolean;
  /** True only together with `outdated`. */
  readonly security: boolean;
}

/** A repository of a host. */
export interface RepositoryEntry {
  readonly name: string;
  readonly url: string;
  readonly distribution: string;
  readonly components: string;
  readonly repo_type: string;
  readonly is_secure: boolean;
  readonly is_enabled: boolean;
}

/** What a report says about the host itself; absent and empty fields change nothing. */
export interface ReportFacts {
  readonly os_name?: string;
  readonly os_version?: string;
  readonly hostname?: string;
  readonly ip?: string;
  readonly machine_id?: string;
  readonly architecture?: string;
  readonly kernel_version?: string;
  readonly agent_version?: string;
  readonly needs_reboot?: boolean;
  readonly reboot_reason?: string;
}

/** A section of a report; `hash` is null where the agent sent a different hash. */
export interface Section<Entry> {
  readonly entries: readonly Entry[];
  readonly hash: string | null;
}

/** A parsed report (dashboard-stats 6.4). */
export interface Report {
  readonly kind: "full" | "partial";
  readonly packages?: Section<PackageEntry>;
  readonly repositories?: Section<RepositoryEntry>;
  readonly interfacesHash?: string | null;
  readonly hostnameHash?: string | null;
  readonly facts: ReportFacts;
}

/** The result of storing a report. */
export interface ReportOutcome extends HostFacts {
  readonly kind: "full" | "partial";
  readonly n_packages: number;
  readonly n_outdated: number;
  readonly n_security: number;
  /** The state before this report. */
  readonly was: { readonly status: HostStatus; readonly n_outdated: number; readonly n_security: number };
}

/** The numbers of the fleet, all as of one moment (dashboard-stats 1.3). */
export interface FleetNumbers {
  readonly hosts: number;
  readonly needing: number;
  readonly at_risk: number;
  readonly outdated: number;
  readonly security: number;
  readonly repositories: number;
  readonly reports_24h: number;
  readonly rebooting: number;
  readonly pending: number;
  readonly inactive: number;
  /** Active hosts by system: the most common first, equal ones by name. */
  readonly systems: readonly { readonly name: string; readonly count: number }[];
  /** The same by version. */
  readonly versions: readonly { readonly name: string; readonly version: string; readonly count: number }[];
  /** When they were read: ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/** Numbers that are too costly to count at every poll; up to a minute old. */
export interface FleetDetails {
  /** Distinct names of packages that are outdated on an active host. */
  readonly unique_outdated: number;
  readonly unique_security: number;
  /** Active hosts without contact for more than two intervals. */
  readonly stale: number;
  /** When they were counted: ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/**
 * The contract by which other plugins read the numbers.
 * @example
 * export default definePlugin({
 *   name: "fleet_alarm",
 *   requires: ["fleet"],
 *   grants: { net: ["alarm.example.com"] },
 *   setup({ contracts: { fleet }, jobs, fetch }) {
 *     jobs.every("check", 15 * 60_000, async () => {
 *       const { at_risk, hosts, at } = await fleet.numbers();
 *       if (at_risk * 10 < hosts) return;
 *       const { stale } = await fleet.details();
 *       const body = JSON.stringify({ at, at_risk, hosts, stale });
 *       await fetch("https://alarm.example.com/lectern", { method: "POST", body });
 *     });
 *   },
 * });
 */
export interface Fleet {
  /** Reads all numbers in one statement. The result includes everything committed before the call. */
  numbers(): Promise<FleetNumbers>;
  details(): Promise<FleetDetails>;
  /** Minutes between reports, as sent to agents. */
  readonly intervalMinutes: number;
  /** Number of counters that the last recount found wrong; 0 before the first one. */
  drift(): number;
}

declare module "lectern/db" {
  interface Tables {
    hosts: HostsTable;
    packages: PackagesTable;
    host_outdated: HostOutdatedTable;
    host_inventory: HostInventoryTable;
    repositories: RepositoriesTable;
    host_repositories: HostRepositoriesTable;
    host_reports: HostReportsTable;
    host_totals: HostTotalsTable;
    report_counts: ReportCountsTable;
    host_history: HostHistoryTable;
  }
}

declare module "lectern/core" {
  interface Events {
    host_create: { draft: HostDraft; result: HostFacts };
    host_update: { draft: { row: HostFacts; draft: HostChange }; result: HostFacts };
    host_delete: { draft: HostFacts; result: HostFacts };
    /** Performed for every report of every host, so handlers have to be cheap. */
    host_report: { draft: { host: HostFacts; report: Report }; result: ReportOutcome };
  }
  interface Contracts {
    fleet: Fleet;
  }
}
