import { type EventTransaction, notFound, sha256, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { HostChange, HostDraft, HostFacts, HostStatus } from "./contract.ts";

/** Credentials of an agent; the key is shown once. */
export interface HostCredentials {
  readonly api_id: string;
  readonly api_key: string;
}

/** Generates credentials in the format that shell agents accept (dashboard-stats 6.2). */
export function randomCredentials(): HostCredentials {
  return { api_id: `patchmon_${randomHex(8)}`, api_key: randomHex(32) };
}

/** Stores a host that has not reported yet. */
export async function insertHost(
  draft: HostDraft,
  credentials: HostCredentials,
  { db }: EventTransaction,
): Promise<HostFacts> {
  const { id } = await db
    .insertInto("hosts")
    .values({
      friendly_name: draft.friendly_name,
      machine_id: draft.machine_id ?? null,
      enrolled_as: draft.machine_id ?? null,
      api_id: credentials.api_id,
      api_key_hash: sha256(credentials.api_key),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, name: draft.friendly_name, status: "pending" };
}

/** Replaces the credentials of a host that enrols again. Throws 404 where it does not exist. */
export async function renewHost(
  { id }: HostFacts,
  draft: HostDraft,
  credentials: HostCredentials,
  { db }: EventTransaction,
): Promise<HostFacts> {
  const [host] = await rows(
    db,
    sql<HostFacts>`update hosts set api_id = ${credentials.api_id}, api_key_hash = ${sha256(credentials.api_key)},
      enrolled_as = ${draft.machine_id ?? null}, updated_at = now() where id = ${id} returning id, friendly_name as name, status`,
  );
  if (!host) throw notFound("Host");
  return host;
}

/**
 * Renames a host, or changes its status. A host that never reported its packages becomes pending instead of active
 * (dashboard-stats 6.5). A host that becomes active again counts as seen now, or the next check for stale hosts could make it
 * inactive before it reports. Throws 404 where it does not exist.
 */
export async function changeHost({ id }: HostFacts, draft: HostChange, { db }: EventTransaction): Promise<HostFacts> {
  const { friendly_name: name = null, status = null } = draft;
  const [host] = await rows(
    db,
    sql<HostFacts>`update hosts set friendly_name = coalesce(${name}, friendly_name), updated_at = now(),
        status = case ${status}::text when 'inactive' then 'inactive'
          when 'active' then case when n_packages > 0 then 'active' else 'pending' end else status end,
        inactive_reason = case ${status}::text when 'inactive' then 'manual' when 'active' then null
          else inactive_reason end,
        last_seen_at = case when ${status}::text = 'active' and status = 'inactive' and n_packages > 0 then now()
          else last_seen_at end
      where id = ${id} returning id, friendly_name as name, status`,
  );
  if (!host) throw notFound("Host");
  return host;
}

/** Deletes a host with its reports, in the lock order of `counters.ts`. Throws 404 where it does not exist. */
export async function removeHost({ id }: HostFacts, { db }: EventTransaction): Promise<HostFacts> {
  const [host] = await rows(
    db,
    sql<{
      name: string;
      status: HostStatus;
    }>`select friendly_name as name, status from hosts where id = ${id} for update`,
  );
  if (!host) throw notFound("Host");
  await rows(db, sql`delete from host_repositories where host_id = ${id}`);
  await rows(db, sql`delete from hosts where id = ${id}`);
  return { id, ...host };
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
