import type { Generated } from "kysely";
import type { Db } from "lectern/db";

/** What a key opens: the numbers, or enrolment of hosts; never both (dashboard-stats 3.1). */
export type KeyType = "dashboard" | "enrolment";

/** Keys of dashboards and of enrolment. */
export interface DashKeysTable {
  id: Generated<number>;
  name: string;
  /** What stands before the colon: unique, no secret. */
  token_key: string;
  /** SHA-256 as hex; bcrypt in rows taken over from elsewhere, until their first use. */
  secret_hash: string;
  integration_type: KeyType;
  is_active: Generated<boolean>;
  expires_at: string | null;
  /** Addresses and networks it may be used from, as they were written; none for any. */
  allowed_ip_ranges: Generated<readonly string[]>;
  /** Hosts it may enrol in a day, by UTC. */
  max_hosts_per_day: Generated<number>;
  /** How many it has enrolled on that day. */
  hosts_made: Generated<number>;
  hosts_made_on: string | null;
  last_used_at: string | null;
  last_used_ip: string | null;
  last_refused_at: string | null;
  last_refused_reason: string | null;
  created_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** What the events of keys tell of one; holds neither half of its credentials. */
export interface KeyFacts {
  readonly id: number;
  readonly name: string;
  readonly integration_type: KeyType;
}

/** What is asked for when a key is made. */
export interface KeyDraft {
  readonly name: string;
  readonly integration_type: KeyType;
  /** ISO 8601 with an offset; null for a key that does not expire. */
  readonly expires_at: string | null;
  readonly allowed_ip_ranges: readonly string[];
  readonly max_hosts_per_day?: number;
}

/** What is asked for when a key is changed; absent fields stay. */
export interface KeyChange extends Partial<Omit<KeyDraft, "integration_type">> {
  readonly is_active?: boolean;
}

/** Why a key was refused, in the order of the checks (dashboard-stats 3.3). */
export type KeyRefusal = "unknown" | "secret" | "inactive" | "expired" | "type" | "address";

/** What came of judging credentials. */
export type KeyCheck = { readonly id: number; readonly name: string } | { readonly refused: KeyRefusal };

/** Who may use a key of which kind. */
export interface DashboardKeys {
  /**
   * Judges credentials and notes the use or the refusal; a promise only where the store has to be asked. Throws what the
   * store throws.
   */
  check(type: KeyType, tokenKey: string, secret: string, address: string): KeyCheck | Promise<KeyCheck>;
  /**
   * Takes hosts off what an enrolment key may make today, in the caller's transaction. Says whether there were enough:
   * then exactly so many were taken, else none.
   */
  spend(keyId: number, hosts: number, db: Db): Promise<boolean>;
}

declare module "lectern/db" {
  interface Tables {
    dash_keys: DashKeysTable;
  }
}

declare module "lectern/core" {
  interface Events {
    dashboard_key_create: { draft: KeyDraft; result: KeyFacts };
    dashboard_key_update: { draft: { row: KeyFacts; draft: KeyChange }; result: KeyFacts };
    dashboard_key_delete: { draft: KeyFacts; result: KeyFacts };
  }
  interface Contracts {
    dashboard_keys: DashboardKeys;
  }
}
