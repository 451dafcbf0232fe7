/**
 * Answers of the API, with the fields that the screens show. The types are declared here, as plugins import nothing from each other and
 * screens are clients like any other. Only answers that create something have secrets.
 */

/** A page of a listing. */
export interface Listing<T> {
  readonly data: readonly T[];
  readonly total: number;
}

/** A key of dashboards or of enrolment. */
export interface Key {
  readonly id: number;
  readonly token_name: string;
  readonly token_key: string;
  readonly integration_type: "dashboard" | "enrolment";
  readonly status: "active" | "inactive" | "expired";
  readonly is_active: boolean;
  readonly allowed_ip_ranges: readonly string[];
  readonly expires_at: string | null;
  readonly max_hosts_per_day: number;
  readonly last_used_at: string | null;
  readonly last_used_ip: string | null;
  readonly last_refused_at: string | null;
  readonly last_refused_reason: string | null;
  readonly created_at: string;
}

/** A new key, with its secret. */
export interface CreatedKey extends Key {
  readonly token_secret: string;
  readonly basic: string;
}

/** Snippets for the configuration of dashboards. */
export type Snippets = Readonly<
  Record<"homepage" | "homepage_all" | "homepage_environment" | "homarr" | "glance" | "prometheus" | "curl", string>
>;

/** The used part of the rate limit. */
export interface Usage {
  readonly limit: number;
  readonly window_seconds: number;
  readonly addresses: readonly {
    readonly address: string;
    readonly keys: readonly string[];
    readonly used: number;
    readonly remaining: number;
    readonly resets_at: string | null;
  }[];
}

/** A host in listings. */
export interface Host {
  readonly id: number;
  readonly friendly_name: string;
  readonly hostname: string | null;
  readonly ip: string | null;
  readonly os_name: string;
  readonly os_version: string;
  readonly architecture: string | null;
  readonly kernel_version: string | null;
  readonly agent_version: string | null;
  readonly status: "pending" | "active" | "inactive";
  readonly inactive_reason: "manual" | "stale" | null;
  readonly packages: number;
  readonly outdated_packages: number;
  readonly security_updates: number;
  readonly needs_reboot: boolean;
  readonly reboot_reason: string | null;
  readonly api_id: string;
  readonly last_seen_at: string | null;
  readonly last_report_at: string | null;
  readonly created_at: string;
}

/** A single host, with what it reported. */
export interface HostDetail extends Host {
  readonly outdated: readonly {
    readonly name: string;
    readonly current_version: string;
    readonly available_version: string;
    readonly security: boolean;
  }[];
  readonly repositories: readonly {
    readonly name: string;
    readonly url: string;
    readonly distribution: string;
    readonly components: string;
    readonly type: string;
    readonly enabled: boolean;
  }[];
}

/** A new host, with its key. */
export interface CreatedHost {
  readonly id: number;
  readonly friendly_name: string;
  readonly api_id: string;
  readonly api_key: string;
}

/** A webhook; only the answer that creates it has its secret. */
export interface Webhook {
  readonly id: number;
  readonly name: string;
  readonly endpoint: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly timeout: number;
  readonly failures: number;
  readonly failing_since: string | null;
  readonly last_called_at: string | null;
  readonly last_errored_at: string | null;
  readonly last_error: string;
}

/** A type of event that webhooks can be called for. */
export interface EventType {
  readonly type: string;
  readonly text: string;
}

/** A call of a webhook. */
export interface Delivery {
  readonly id: number;
  readonly type: string;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string;
  readonly duration_ms: number | null;
  readonly next_at: string;
  readonly sent_at: string | null;
  readonly created_at: string;
}

/** A call with its request and response. */
export interface DeliveryDetail extends Delivery {
  readonly answer: string;
  readonly request: {
    readonly address: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

type Count =
  | ("total_hosts" | "up_to_date_hosts" | "pending_hosts" | "inactive_hosts" | "stale_hosts")
  | ("hosts_needing_updates" | "hosts_with_security_updates" | "reboot_required_hosts")
  | ("security_updates" | "total_outdated_packages" | "total_repos" | "recent_updates_24h");

/** The current numbers. */
export interface Numbers extends Readonly<Record<Count, number>> {
  readonly os_distribution: readonly { readonly name: string; readonly count: number }[];
  readonly last_updated: string;
}

/** The numbers at one time. */
export interface Point {
  readonly at: string;
  readonly total_hosts: number;
  readonly hosts_needing_updates: number;
  readonly total_outdated_packages: number;
  readonly security_updates: number;
}

/** The numbers over time. */
export interface History {
  readonly days: number;
  readonly step: "hour" | "day";
  readonly points: readonly Point[];
}
