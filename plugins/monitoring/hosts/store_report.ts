/**
 * Stores a report in the transaction of its event: locks the host's row, compares its outdated packages with the stored ones, and
 * writes the differences, the counts and the report in one statement. That statement runs the triggers of `counters.ts`, with
 * locks in the order given there. A report with unchanged sections costs one update of the host's row and one row of
 * `host_reports`.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError, type EventTransaction } from "lectern/core";
import { prepared } from "lectern/db";
import type { HostRow, PackageEntry, Report, ReportFacts, ReportOutcome, Section } from "./contract.ts";
import { COUNTS, HASHES, type Nullable, storeChanges } from "./report_changes.ts";
import { storeRepositories } from "./store_repositories.ts";

/** What is prepared before the transaction: ids, and the compressed list of packages. */
export interface Prepared {
  /** Ids of outdated packages by name. */
  readonly packages: ReadonlyMap<string, number>;
  /** Ids of repositories by `repositoryKey`. */
  readonly repositories: ReadonlyMap<string, number>;
  readonly inventory: Uint8Array | null;
}

type Locked = Pick<HostRow, "id" | "friendly_name" | "status" | (typeof COUNTS)[number] | (typeof HASHES)[number]>;

const lock = prepared("hosts.lockForReport", (db, p: { id: number }) =>
  db
    .selectFrom("hosts")
    .select(["id", "friendly_name", "status", ...COUNTS, ...HASHES])
    .where("id", "=", p.id)
    .forNoKeyUpdate(),
);

const listOutdated = prepared("hosts.listOutdated", (db, p: { host: number }) =>
  db
    .selectFrom("host_outdated")
    .select(["package_id as id", "security", "current_version as current", "available_version as available"])
    .where("host_id", "=", p.host),
);

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
  const host = await lock.executeTakeFirst(db, { id: hostId });
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
  const stored = await listOutdated.execute(db, { host: hostId });
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
  const written = await storeChanges.executeTakeFirst(db, {
    id: host.id,
    gone,
    changedIds: changed.map(({ id }) => id),
    changedSecurity: changed.map(({ security }) => Number(security)),
    changedCurrent: changed.map(({ current }) => current),
    changedAvailable: changed.map(({ available }) => available),
    inventory: packages?.inventory ?? null,
    kind: report.kind,
    isCounted: isCounted(host, report),
    hasPackages: report.packages !== undefined,
    ...counts,
    ...hashesOf(host, report),
    ...factsOf(report),
  });
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

function hashesOf(host: Locked, report: Report): Pick<Locked, (typeof HASHES)[number]> {
  const hash = (sent: string | null | undefined, stored: string | null) => (sent === undefined ? stored : sent);
  return {
    packages_hash: hash(report.packages?.hash, host.packages_hash),
    repos_hash: isCounted(host, report) ? hash(report.repositories?.hash, host.repos_hash) : host.repos_hash,
    interfaces_hash: hash(report.interfacesHash, host.interfaces_hash),
    hostname_hash: hash(report.hostnameHash, host.hostname_hash),
  };
}

/** Null for facts that stay. */
function factsOf({ facts }: Report): Nullable<Required<ReportFacts>> {
  return {
    os_name: facts.os_name ?? null,
    os_version: facts.os_version ?? null,
    hostname: facts.hostname ?? null,
    ip: facts.ip ?? null,
    machine_id: facts.machine_id ?? null,
    architecture: facts.architecture ?? null,
    kernel_version: facts.kernel_version ?? null,
    agent_version: facts.agent_version ?? null,
    needs_reboot: facts.needs_reboot ?? null,
    reboot_reason: facts.reboot_reason ?? null,
  };
}
