/**
 * Changes of hosts by administrators and by enrolment, within the transactions of their events. Reports change hosts in
 * `store_report.ts`, pings in `ping.ts`.
 */
import { type EventTransaction, notFound, sha256, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { HostChange, HostDraft, HostFacts, HostRow, HostStatus } from "./contract.ts";

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

type Renewal = Pick<HostRow, "id" | "api_id" | "api_key_hash" | "enrolled_as">;

const renew = prepared("hosts.renew", (db, p: Renewal) =>
  db
    .updateTable("hosts")
    .set({ api_id: p.api_id, api_key_hash: p.api_key_hash, enrolled_as: p.enrolled_as, updated_at: sql<string>`now()` })
    .where("id", "=", p.id)
    .returning(["id", "friendly_name as name", "status"]),
);

/** Replaces the credentials of a host that enrols again. Throws 404 where it does not exist. */
export async function renewHost(
  { id }: HostFacts,
  draft: HostDraft,
  credentials: HostCredentials,
  { db }: EventTransaction,
): Promise<HostFacts> {
  const host = await renew.executeTakeFirst(db, {
    id,
    api_id: credentials.api_id,
    api_key_hash: sha256(credentials.api_key),
    enrolled_as: draft.machine_id ?? null,
  });
  if (!host) throw notFound("Host");
  return host;
}

type Change = { id: number; name: string | null; status: HostStatus | null };

const change = prepared("hosts.change", (db, p: Change) =>
  db
    .updateTable("hosts")
    .set((eb) => {
      const { n_packages, status } = { n_packages: eb.ref("n_packages"), status: eb.ref("status") };
      return {
        friendly_name: sql<string>`coalesce(${p.name}, ${eb.ref("friendly_name")})`,
        updated_at: sql<string>`now()`,
        status: sql<HostStatus>`case ${p.status}::text when 'inactive' then 'inactive'
          when 'active' then case when ${n_packages} > 0 then 'active' else 'pending' end else ${status} end`,
        inactive_reason: sql<null>`case ${p.status}::text when 'inactive' then 'manual' when 'active' then null
          else ${eb.ref("inactive_reason")} end`,
        last_seen_at: sql<string>`case when ${p.status}::text = 'active' and ${status} = 'inactive' and ${n_packages} > 0
          then now() else ${eb.ref("last_seen_at")} end`,
      };
    })
    .where("id", "=", p.id)
    .returning(["id", "friendly_name as name", "status"]),
);

/**
 * Renames a host, or changes its status. A host that never reported its packages becomes pending instead of active
 * (dashboard-stats 6.5). A host that becomes active again counts as seen now, or the next check for stale hosts could make it
 * inactive before it reports. Throws 404 where it does not exist.
 */
export async function changeHost({ id }: HostFacts, draft: HostChange, { db }: EventTransaction): Promise<HostFacts> {
  const { friendly_name: name = null, status = null } = draft;
  const host = await change.executeTakeFirst(db, { id, name, status });
  if (!host) throw notFound("Host");
  return host;
}

const lock = prepared("hosts.lock", (db, p: { id: number }) =>
  db.selectFrom("hosts").select(["friendly_name as name", "status"]).where("id", "=", p.id).forUpdate(),
);
const removeRepositories = prepared("hosts.removeRepositories", (db, p: { id: number }) =>
  db.deleteFrom("host_repositories").where("host_id", "=", p.id),
);
const remove = prepared("hosts.remove", (db, p: { id: number }) => db.deleteFrom("hosts").where("id", "=", p.id));

/** Deletes a host with its reports, in the lock order of `counters.ts`. Throws 404 where it does not exist. */
export async function removeHost({ id }: HostFacts, { db }: EventTransaction): Promise<HostFacts> {
  const host = await lock.executeTakeFirst(db, { id });
  if (!host) throw notFound("Host");
  await removeRepositories.execute(db, { id });
  await remove.execute(db, { id });
  return { id, ...host };
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
