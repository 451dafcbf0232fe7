/**
 * Hosts as stored, what agents report of them, and what the rest of the runtime learns: events, and the contract `fleet`,
 * by which the numbers are read. Secrets are in none of these types but the two that carry them out once.
 */
import type { Generated, Selectable } from "kysely";

/** The states of a host (dashboard-stats 6.5); only active ones count. */
export type HostStatus = "pending" | "active" | "inactive";

/** Monitored hosts. */
export interface HostsTable {
  id: Generated<number>;
  friendly_name: string;
  hostname: string | null;
  ip: string | null;
  machine_id: string | null;
  /** The machine id of its enrolment; null where none was told. */
  enrolled_as: string | null;
  /** Under the name of `os_names.ts`. */
  os_name: Generated<string>;
  os_version: Generated<string>;
  architecture: string | null;
  kernel_version: string | null;
  agent_version: string | null;
  status: Generated<HostStatus>;
  /** Why it is inactive: an administrator said so, or it fell silent. */
  inactive_reason: Generated<"manual" | "stale" | null>;
  n_packages: Generated<number>;
  n_outdated: Generated<number>;
  n_security: Generated<number>;
  needs_reboot: Generated<boolean>;
  reboot_reason: string | null;
  /** Hashes of the sections last reported; null asks the agent for the section again. */
  packages_hash: string | null;
  repos_hash: string | null;
  interfaces_hash: string | null;
  hostname_hash: string | null;
  last_seen_at: string | null;
  last_report_at: string | null;
  /** What stands in X-API-ID. */
  api_id: string;
  /** SHA-256 of what stands in X-API-KEY, as hex. */
  api_key_hash: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** Names of packages that were ever outdated somewhere; rows are only ever added. */
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

/** All packages of hosts, as gzip of JSON rows `[name, current, available, flags]`. */
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
  /** At how many hosts it is in use; kept by a trigger. */
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

/** Sums over hosts of one status, system and shard; kept by triggers. */
export interface HostTotalsTable {
  status: HostStatus;
  os_name: string;
  os_version: string;
  shard: number;
  hosts: number;
  needing: number;
  at_risk: number;
  outdated: number;
  security: number;
  rebooting: number;
}

/** Reports by stretches of so many `seconds`; kept by triggers. */
export interface ReportCountsTable {
  seconds: number;
  starts_at: string;
  shard: number;
  n: number;
}

/** The numbers of active hosts at the beginning of each hour in which a server ran. */
export interface HostHistoryTable {
  at: string;
  hosts: number;
  needing: number;
  at_risk: number;
  outdated: number;
  security: number;
  rebooting: number;
}

/** A host as the table holds it. */
export type HostRow = Selectable<HostsTable>;

/** What the events of hosts tell of one; holds no credentials. */
export interface HostFacts {
  readonly id: number;
  /** The friendly name. */
  readonly name: string;
  readonly status: HostStatus;
}

/** What is asked for when a host is made. */
export interface HostDraft {
  readonly friendly_name: string;
  readonly machine_id?: string;
}

/** What is asked for when a host is changed; absent fields stay. */
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
  /** Only ever with `outdated`. */
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

/** What a report tells of the host itself; absent or empty fields tell nothing. */
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

/** A section of a report; `hash` is null where the agent's own hash says something else. */
export interface Section<Entry> {
  readonly entries: readonly Entry[];
  readonly hash: string | null;
}

/** A report that was understood (dashboard-stats 6.4). */
export interface Report {
  readonly kind: "full" | "partial";
  readonly packages?: Section<PackageEntry>;
  readonly repositories?: Section<RepositoryEntry>;
  readonly interfacesHash?: string | null;
  readonly hostnameHash?: string | null;
  readonly facts: ReportFacts;
}

/** What came of a report. */
export interface ReportOutcome extends HostFacts {
  readonly kind: "full" | "partial";
  readonly n_packages: number;
  readonly n_outdated: number;
  readonly n_security: number;
  /** Before this report. */
  readonly was: { readonly status: HostStatus; readonly n_outdated: number; readonly n_security: number };
}

/** The numbers of the fleet, all of one moment (dashboard-stats 1.3). */
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

/** What is too costly to count at every poll; up to a minute old. */
export interface FleetDetails {
  /** Names of packages outdated at some active host. */
  readonly unique_outdated: number;
  readonly unique_security: number;
  /** Active hosts silent for more than two intervals. */
  readonly stale: number;
  /** When they were counted: ISO 8601 UTC with milliseconds. */
  readonly at: string;
}

/** Where the numbers of the fleet come from. */
export interface Fleet {
  /** Reads all numbers in one statement; whoever asks learns of everything committed before. */
  numbers(): Promise<FleetNumbers>;
  details(): Promise<FleetDetails>;
  /** Minutes between reports, as agents are told. */
  readonly intervalMinutes: number;
  /** How many counters the last recount found wrong; 0 where none or not yet done. */
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
    /** Comes with every report of every host: take part only in what is cheap. */
    host_report: { draft: { host: HostFacts; report: Report }; result: ReportOutcome };
  }
  interface Contracts {
    fleet: Fleet;
  }
}
