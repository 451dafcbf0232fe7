import { ApiError, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { HostRow } from "./contract.ts";
import { normalizeText } from "./section_hashes.ts";

/** Sections that a ping can send a hash of, with the names of hash and column. */
const SECTIONS = [
  ["packages", "packagesHash", "packages_hash"],
  ["repos", "reposHash", "repos_hash"],
  ["interfaces", "interfacesHash", "interfaces_hash"],
  ["hostname", "hostnameHash", "hostname_hash"],
] as const;

type Hashes = Pick<HostRow, (typeof SECTIONS)[number][2]>;

/**
 * Records that a host is alive, in one statement; a stale host becomes active again. Returns its name and the sections to
 * request: where it sent hashes, those whose hash is empty, unknown or different. Throws ApiError 401 where the host was deleted.
 */
export async function touch(
  db: Pick<Db, "executeQuery">,
  hostId: number,
  body: Readonly<Record<string, unknown>>,
): Promise<{ name: string; wanted: string[] }> {
  const metrics = objectIn(body.metrics);
  const reboot = typeof metrics.needsReboot === "boolean" ? metrics.needsReboot : null;
  const [host] = await rows<Hashes & { name: string }>(
    db,
    sql`update hosts set last_seen_at = now(), needs_reboot = coalesce(${reboot}, needs_reboot),
        agent_version = coalesce(nullif(${normalizeText(body.agentVersion).slice(0, 255)}::text, ''), agent_version),
        status = case when inactive_reason = 'stale' then 'active' else status end,
        inactive_reason = nullif(inactive_reason, 'stale')
      where id = ${hostId}
      returning friendly_name as name, packages_hash, repos_hash, interfaces_hash, hostname_hash`,
  );
  if (!host) throw new ApiError(401, "Invalid API credentials");
  const hashes = body.hashes === undefined ? undefined : objectIn(body.hashes);
  const wanted = hashes ? SECTIONS.filter(([, sent, stored]) => !hashes[sent] || hashes[sent] !== host[stored]) : [];
  return { name: host.name, wanted: wanted.map(([section]) => section) };
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
