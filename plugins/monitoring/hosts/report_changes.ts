/**
 * The statement that writes what a report changes: outdated packages, the inventory, the report and the host's row, in one round
 * trip. It runs the triggers of `counters.ts`, with locks in the order given there. The caller has locked the host's row
 * (`store_report.ts`).
 */
import { sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { HostRow, HostStatus, Report, ReportFacts } from "./contract.ts";

/** The columns of the hashes of a host's sections. */
export const HASHES = ["packages_hash", "repos_hash", "interfaces_hash", "hostname_hash"] as const;
/** The columns of the counts of packages. */
export const COUNTS = ["n_packages", "n_outdated", "n_security"] as const;

/** What a report changes. Lists have an entry for each changed package. */
export interface ReportChanges
  extends Pick<HostRow, "id" | (typeof COUNTS)[number] | (typeof HASHES)[number]>,
    Nullable<Required<ReportFacts>> {
  readonly gone: readonly number[];
  readonly changedIds: readonly number[];
  /** 1 or 0: the driver has no arrays of booleans. */
  readonly changedSecurity: readonly number[];
  readonly changedCurrent: readonly string[];
  readonly changedAvailable: readonly string[];
  /** Null where it stays. */
  readonly inventory: Uint8Array | null;
  readonly kind: Report["kind"];
  readonly isCounted: boolean;
  readonly hasPackages: boolean;
}

/** The same with null for each member. */
export type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

/** Writes differences, counts and the report. Sets every column each time, so that there is one statement, which stays prepared. */
export const storeChanges = prepared("hosts.storeReport", (db, p: ReportChanges) =>
  db
    .with("gone", (query) =>
      query
        .deleteFrom("host_outdated")
        .where("host_id", "=", p.id)
        .where("package_id", "=", sql<number>`any(${p.gone}::integer[])`),
    )
    .with("changed", (query) =>
      query
        .insertInto("host_outdated")
        .columns(["host_id", "package_id", "security", "current_version", "available_version"])
        .expression((eb) =>
          eb
            .selectFrom(
              sql<{
                id: number;
                security: number;
                current: string;
                available: string;
              }>`unnest(${p.changedIds}::integer[],
                ${p.changedSecurity}::integer[], ${p.changedCurrent}::text[], ${p.changedAvailable}::text[])`.as<"sent">(
                sql`sent (id, security, current, available)`,
              ),
            )
            .select([
              sql<number>`${p.id}::integer`.as("host_id"),
              "id",
              sql<boolean>`security = 1`.as("security"),
              "current",
              "available",
            ]),
        )
        .onConflict((conflict) =>
          conflict.columns(["host_id", "package_id"]).doUpdateSet(({ ref }) => ({
            security: ref("excluded.security"),
            current_version: ref("excluded.current_version"),
            available_version: ref("excluded.available_version"),
          })),
        ),
    )
    .with("inventory", (query) =>
      query
        .insertInto("host_inventory")
        .columns(["host_id", "packages"])
        .expression(
          query
            .selectNoFrom([
              sql<number>`${p.id}::integer`.as("host_id"),
              sql<Uint8Array>`${p.inventory}::bytea`.as("packages"),
            ])
            .where(sql<boolean>`${p.inventory}::bytea is not null`),
        )
        .onConflict((conflict) =>
          conflict.column("host_id").doUpdateSet(({ ref }) => ({ packages: ref("excluded.packages") })),
        ),
    )
    .with("reported", (query) =>
      query
        .insertInto("host_reports")
        .columns(["host_id", "kind", ...COUNTS])
        .expression(
          query
            .selectNoFrom([
              sql<number>`${p.id}::integer`.as("host_id"),
              sql<Report["kind"]>`${p.kind}::text`.as("kind"),
              ...COUNTS.map((name) => sql<number>`${p[name]}::integer`.as(name)),
            ])
            .where(sql<boolean>`${p.isCounted}::boolean`),
        ),
    )
    .updateTable("hosts")
    .set(({ ref }) => ({
      os_name: sql<string>`coalesce(${p.os_name}, ${ref("os_name")})`,
      os_version: sql<string>`coalesce(${p.os_version}, ${ref("os_version")})`,
      hostname: sql<string>`coalesce(${p.hostname}, ${ref("hostname")})`,
      ip: sql<string>`coalesce(${p.ip}, ${ref("ip")})`,
      machine_id: sql<string>`coalesce(${p.machine_id}, ${ref("machine_id")})`,
      architecture: sql<string>`coalesce(${p.architecture}, ${ref("architecture")})`,
      kernel_version: sql<string>`coalesce(${p.kernel_version}, ${ref("kernel_version")})`,
      agent_version: sql<string>`coalesce(${p.agent_version}, ${ref("agent_version")})`,
      needs_reboot: sql<boolean>`coalesce(${p.needs_reboot}, ${ref("needs_reboot")})`,
      reboot_reason: sql<string>`coalesce(${p.reboot_reason}, ${ref("reboot_reason")})`,
      packages_hash: p.packages_hash,
      repos_hash: p.repos_hash,
      interfaces_hash: p.interfaces_hash,
      hostname_hash: p.hostname_hash,
      n_packages: p.n_packages,
      n_outdated: p.n_outdated,
      n_security: p.n_security,
      status: sql<HostStatus>`case when ${ref("status")} = 'pending' and ${p.hasPackages} then 'active'
        when ${ref("inactive_reason")} = 'stale' then 'active' else ${ref("status")} end`,
      inactive_reason: sql<null>`nullif(${ref("inactive_reason")}, 'stale')`,
      last_seen_at: sql<string>`now()`,
      last_report_at: sql<string>`now()`,
    }))
    .where("id", "=", p.id)
    .returning(["status", ...COUNTS]),
);
