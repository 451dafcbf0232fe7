/**
 * The table of keys, events, and the contract `dashboard_keys`, by which other plugins check keys. No type here has a secret;
 * the routes answer it once.
 */
import type { Generated } from "kysely";
import {
  type EventTransaction,
  idSchema,
  listingSchema,
  listOf,
  nullable,
  type PluginContext,
  type Static,
  t,
  timesFields,
  timestampSchema,
} from "lectern/core";

/** What the files of this plugin share. */
export interface DashboardKeysContext
  extends Pick<PluginContext<never, "dash_keys">, "app" | "db" | "list" | "perform" | "validate" | "visible"> {
  readonly lastUsed: {
    /** Writes uses and rejections that are still in memory. */
    flush(): Promise<void>;
  };
  readonly forget: ForgetKey;
}

/** Removes a key from the cache at the commit, in every process. */
export type ForgetKey = (tx: EventTransaction, tokenKey: string) => Promise<void>;

/** What a key gives access to: the statistics, or enrolment of hosts; never both (dashboard-stats 3.1). */
export type KeyType = "dashboard" | "enrolment";

/** Keys of dashboards and of enrolment. */
export interface DashKeysTable {
  id: Generated<number>;
  name: string;
  /** The part of the credentials before the colon: unique, not secret. */
  token_key: string;
  /** SHA-256 as hex; bcrypt in rows imported from elsewhere, until their first use. */
  secret_hash: string;
  integration_type: KeyType;
  is_active: Generated<boolean>;
  expires_at: string | null;
  /** Addresses and networks it may be used from, as they were entered; empty for any. */
  allowed_ip_ranges: Generated<readonly string[]>;
  /** Hosts it may enrol in a day of UTC. */
  max_hosts_per_day: Generated<number>;
  /** How many it has enrolled on `hosts_made_on`. */
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

/** A key in event drafts and results; has neither half of its credentials. */
export interface KeyFacts {
  readonly id: number;
  readonly name: string;
  readonly integration_type: KeyType;
}

/** A new key. */
export interface KeyDraft {
  readonly name: string;
  readonly integration_type: KeyType;
  /** ISO 8601 with an offset; null for a key that does not expire. */
  readonly expires_at: string | null;
  readonly allowed_ip_ranges: readonly string[];
  readonly max_hosts_per_day?: number;
}

/** A change of a key; absent fields stay. */
export interface KeyChange extends Partial<Omit<KeyDraft, "integration_type">> {
  readonly is_active?: boolean;
}

/** Why a key was rejected, in the order of the checks (dashboard-stats 3.3). */
export type KeyRefusal = "unknown" | "secret" | "inactive" | "expired" | "type" | "address";

/** The result of checking credentials. */
export type KeyCheck = { readonly id: number; readonly name: string } | { readonly refused: KeyRefusal };

/**
 * The contract by which other plugins check keys.
 * @example
 * export default definePlugin({
 *   name: "kiosk",
 *   requires: ["dashboard_keys"],
 *   setup({ app, contracts: { dashboard_keys: keys }, routeScope }) {
 *     routeScope("/kiosk", {});
 *     app.get(
 *       "/kiosk/numbers",
 *       async ({ address, headers }) => {
 *         const [key = "", secret = ""] = (headers["x-kiosk-key"] ?? "").split(":");
 *         const found = await keys.check("dashboard", key, secret, address);
 *         if ("refused" in found) throw new ApiError(401, "The key is not accepted");
 *         return { key: found.name };
 *       },
 *       { permit: "public" },
 *     );
 *   },
 * });
 */
export interface DashboardKeys {
  /**
   * Checks credentials and records the use or the rejection. Returns a promise only where the store has to be queried.
   * Throws what the store throws.
   */
  check(type: KeyType, tokenKey: string, secret: string, address: string): KeyCheck | Promise<KeyCheck>;
  /**
   * Counts `hosts` towards the daily limit of an enrolment key, in the caller's transaction. Returns false, and counts
   * nothing, where they would exceed it.
   */
  spend(keyId: number, hosts: number, tx: EventTransaction): Promise<boolean>;
}

const keyFields = {
  id: idSchema,
  token_name: t.String(),
  token_key: t.String({ description: "The part of the credentials before the colon; not secret" }),
  integration_type: t.Union([t.Literal("dashboard"), t.Literal("enrolment")]),
  status: t.Union([t.Literal("active"), t.Literal("inactive"), t.Literal("expired")]),
  is_active: t.Boolean(),
  allowed_ip_ranges: listOf(t.String()),
  expires_at: nullable(timestampSchema),
  max_hosts_per_day: t.Integer(),
  last_used_at: nullable(timestampSchema),
  last_used_ip: nullable(t.String()),
  last_refused_at: nullable(timestampSchema),
  last_refused_reason: nullable(t.String()),
  ...timesFields,
};
const key = t.Object(keyFields, { $id: "DashboardKey" });
const secretFields = {
  token_secret: t.String(),
  basic: t.String({ description: "Key and secret for Basic credentials" }),
};

/** The answers about keys; only that of a create has the secret. */
export const keyAnswers = {
  list: listingSchema(key),
  created: t.Object({ ...keyFields, ...secretFields }, { $id: "CreatedDashboardKey" }),
  read: key,
};

/** A key as the API shows it. */
export type ShownKey = Static<typeof key>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/v1/dashboard/keys": Static<typeof keyAnswers.list>;
    "POST /api/v1/dashboard/keys": Static<typeof keyAnswers.created>;
    [key: `/api/v1/dashboard/keys/${number}`]: Static<typeof keyAnswers.read>;
  }
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
