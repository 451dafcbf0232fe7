/**
 * Stores a report in the transaction of its event: locks the host's row, compares its outdated packages with the stored ones, and
 * writes the differences, the counts and the report in one statement. That statement runs the triggers of `counters.ts`, with
 * locks in the order given there. A report with unchanged sections costs one update of the host's row and one row of
 * `host_reports`.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError, type EventTransaction, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { HostRow, PackageEntry, Report, ReportOutcome, Section } from "./contract.ts";
import { storeRepositories } from "./store_repositories.ts";

/** What is prepared before the transaction: ids, and the compressed list of packages. */
export interface Prepared {
  /** Ids of outdated packages by name. */
  readonly packages: ReadonlyMap<string, number>;
  /** Ids of repositories by `repositoryKey`. */
  readonly repositories: ReadonlyMap<string, number>;
  readonly inventory: Uint8Array | null;
}

type Locked = Pick<
  HostRow,
  | "id"
  | "friendly_name"
  | "status"
  | "n_packages"
  | "n_outdated"
  | "n_security"
  | "packages_hash"
  | "repos_hash"
  | "interfaces_hash"
  | "hostname_hash"
>;

const pack = promisify(gzip);
const DELETED = new ApiError(401, "Invalid API credentials");

/** All packages of a host as stored: gzipped JSON rows `[name, current, available, flags]`. */
export function inventoryOf(entries: readonly PackageEntry[]): Promise<Uint8Array> {
  const flags = ({ outdated, security }: PackageEntry) => `${outdated ? "o" : ""}${security ? "s" : ""}`;
  const lines = entries.map((entry) => [entry.name, entry.current, entry.available, flags(entry)]);
  return pack(JSON.stringify(lines), { level: 6 });
}

/** Stores a report; calls `prepare` only where a section has changed. Throws ApiError 401 where the host was deleted. */
export async function storeReport(
  hostId: number,
  report: Report,
  prepare: () => Promise<Prepared>,
  { db }: EventTransaction,
): Promise<ReportOutcome> {
  const [host] = await rows<Locked>(
    db,
    sql`select id, friendly_name, status, n_packages, n_outdated, n_security, packages_hash, repos_hash,
      interfaces_hash, hostname_hash from hosts where id = ${hostId} for no key update`,
  );
  if (!host) throw DELETED;
  if (isCounted(host, report) && report.repositories && differs(report.repositories, host.repos_hash))
    await storeRepositories(host.id, report.repositories.entries, (await prepare()).repositories, db);
  const packages = report.packages && differs(report.packages, host.packages_hash) ? report.packages : undefined;
  const written = await write(host, report, packages && { ...packages, ...(await prepare()) }, db);
  return {
    id: host.id,
    name: host.friendly_name,
    kind: report.kind,
    ...written,
    was: { status: host.status, n_outdated: host.n_outdated, n_security: host.n_security },
  };
}

/**
 * Whether a report counts. dashboard-stats 1.3 counts every accepted report, check 11 of section 10 says that a pending host
 * changes no number; the latter takes precedence: as long as the packages of a host are unknown, a partial report
 * without packages updates only the facts of the host. It is stored neither as a report nor as repositories in use, nor is the
 * hash of the repositories, so that the host reports them again.
 */
function isCounted({ n_packages }: Locked, { packages }: Report): boolean {
  return n_packages > 0 || packages !== undefined;
}

/** Whether a section has to be written: its hash is unknown or has changed. */
function differs({ hash }: Section<unknown>, stored: string | null): boolean {
  return hash === null || hash !== stored;
}

interface Differences {
  readonly gone: readonly number[];
  readonly changed: readonly (PackageEntry & { readonly id: number })[];
}

const NONE: Differences = { gone: [], changed: [] };

type Ready = Section<PackageEntry> & Prepared;

async function differencesOf(
  hostId: number,
  { entries, packages }: Ready,
  db: EventTransaction["db"],
): Promise<Differences> {
  const wanted = new Map(
    entries.filter(({ outdated }) => outdated).map((entry) => [packages.get(entry.name) as number, entry]),
  );
  const stored = await rows<{ id: number; security: boolean; current: string; available: string }>(
    db,
    sql`select package_id as id, security, current_version as current, available_version as available
      from host_outdated where host_id = ${hostId}`,
  );
  const same = new Set<number>();
  const gone: number[] = [];
  for (const { id, security, current, available } of stored) {
    const now = wanted.get(id);
    if (!now) gone.push(id);
    else if (now.security === security && now.current === current && now.available === available) same.add(id);
  }
  const changed = [...wanted].filter(([id]) => !same.has(id)).map(([id, entry]) => ({ ...entry, id }));
  return { gone, changed };
}

type Written = Pick<ReportOutcome, "status" | "n_packages" | "n_outdated" | "n_security">;

async function write(
  host: Locked,
  report: Report,
  packages: Ready | undefined,
  db: EventTransaction["db"],
): Promise<Written> {
  const { gone, changed } = packages ? await differencesOf(host.id, packages, db) : NONE;
  const counts = packages ? countsOf(packages.entries) : countsBefore(host);
  const [written] = await rows<Written>(
    db,
    sql`with gone as (
        delete from host_outdated where host_id = ${host.id} and package_id = any(${[...gone]}::integer[])
      ), changed as (
        insert into host_outdated (host_id, package_id, security, current_version, available_version)
        select ${host.id}, id, security = 1, current, available
        from unnest(${changed.map(({ id }) => id)}::integer[], ${changed.map(({ security }) => Number(security))}::integer[],
          ${changed.map(({ current }) => current)}::text[], ${changed.map(({ available }) => available)}::text[])
          as sent (id, security, current, available)
        on conflict (host_id, package_id) do update set security = excluded.security,
          current_version = excluded.current_version, available_version = excluded.available_version
      ), inventory as (
        insert into host_inventory (host_id, packages)
        select ${host.id}, packages from (values (${packages?.inventory ?? null}::bytea)) as sent (packages)
        where packages is not null
        on conflict (host_id) do update set packages = excluded.packages
      ), reported as (
        insert into host_reports (host_id, kind, n_packages, n_outdated, n_security)
        select ${host.id}::integer, ${report.kind}::text, ${counts.n_packages}::integer, ${counts.n_outdated}::integer,
          ${counts.n_security}::integer where ${isCounted(host, report)}::boolean
      )
      update hosts set ${changesOf(host, report, counts)} where id = ${host.id}
      returning status, n_packages, n_outdated, n_security`,
  );
  if (!written) throw DELETED;
  return written;
}

type Counts = Omit<Written, "status">;

function countsBefore({ n_packages, n_outdated, n_security }: Locked): Counts {
  return { n_packages, n_outdated, n_security };
}

function countsOf(entries: readonly PackageEntry[]): Counts {
  return {
    n_packages: entries.length,
    n_outdated: entries.filter(({ outdated }) => outdated).length,
    n_security: entries.filter(({ security }) => security).length,
  };
}

/** Sets every column each time, so that there is one statement, which stays prepared. */
function changesOf(host: Locked, sent: Report, counts: Counts): RawBuilder<unknown> {
  const { facts, ...report } = sent;
  const fact = (column: keyof typeof facts & string) =>
    sql`${sql.ref(column)} = coalesce(${facts[column] ?? null}, ${sql.ref(`hosts.${column}`)})`;
  const hash = (sent: string | null | undefined, stored: string | null) => (sent === undefined ? stored : sent);
  const hashes = {
    packages_hash: hash(report.packages?.hash, host.packages_hash),
    repos_hash: isCounted(host, sent) ? hash(report.repositories?.hash, host.repos_hash) : host.repos_hash,
    interfaces_hash: hash(report.interfacesHash, host.interfaces_hash),
    hostname_hash: hash(report.hostnameHash, host.hostname_hash),
  };
  const status = sql`case when hosts.status = 'pending' and ${report.packages !== undefined} then 'active'
    when hosts.inactive_reason = 'stale' then 'active' else hosts.status end`;
  return sql.join([
    ...(["os_name", "os_version", "hostname", "ip", "machine_id", "architecture"] as const).map(fact),
    ...(["kernel_version", "agent_version", "needs_reboot", "reboot_reason"] as const).map(fact),
    ...Object.entries({ ...hashes, ...counts }).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql`status = ${status}, inactive_reason = nullif(hosts.inactive_reason, 'stale')`,
    sql`last_seen_at = now(), last_report_at = now()`,
  ]);
}
