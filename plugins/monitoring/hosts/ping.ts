import { ApiError, sql } from "lectern/core";
import { type Executor, isObject, prepared } from "lectern/db";
import type { HostStatus } from "./contract.ts";
import { normalizeText } from "./section_hashes.ts";

/** Sections that a ping can send a hash of, with the names of hash and column. */
const SECTIONS = [
  ["packages", "packagesHash", "packages_hash"],
  ["repos", "reposHash", "repos_hash"],
  ["interfaces", "interfacesHash", "interfaces_hash"],
  ["hostname", "hostnameHash", "hostname_hash"],
] as const;

type Ping = { id: number; needsReboot: boolean | null; agentVersion: string };

const recordPing = prepared("hosts.recordPing", (db, p: Ping) =>
  db
    .updateTable("hosts")
    .set((eb) => ({
      last_seen_at: sql<string>`now()`,
      needs_reboot: sql<boolean>`coalesce(${p.needsReboot}, ${eb.ref("needs_reboot")})`,
      agent_version: sql<string>`coalesce(nullif(${p.agentVersion}::text, ''), ${eb.ref("agent_version")})`,
      status: sql<HostStatus>`case when ${eb.ref("inactive_reason")} = 'stale' then 'active' else ${eb.ref("status")} end`,
      inactive_reason: sql<null>`nullif(${eb.ref("inactive_reason")}, 'stale')`,
    }))
    .where("id", "=", p.id)
    .returning(["friendly_name as name", "packages_hash", "repos_hash", "interfaces_hash", "hostname_hash"]),
);

/**
 * Records that a host is alive, in one statement; a stale host becomes active again. Returns its name and the sections to
 * request: where it sent hashes, those whose hash is empty, unknown or different. Throws ApiError 401 where the host was deleted.
 */
export async function touch(
  db: Executor,
  hostId: number,
  body: Readonly<Record<string, unknown>>,
): Promise<{ name: string; wanted: string[] }> {
  const metrics = objectIn(body.metrics);
  const needsReboot = typeof metrics.needsReboot === "boolean" ? metrics.needsReboot : null;
  const agentVersion = normalizeText(body.agentVersion).slice(0, 255);
  const host = await recordPing.executeTakeFirst(db, { id: hostId, needsReboot, agentVersion });
  if (!host) throw new ApiError(401, "Invalid API credentials");
  const hashes = body.hashes === undefined ? undefined : objectIn(body.hashes);
  const wanted = hashes ? SECTIONS.filter(([, sent, stored]) => !hashes[sent] || hashes[sent] !== host[stored]) : [];
  return { name: host.name, wanted: wanted.map(([section]) => section) };
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
