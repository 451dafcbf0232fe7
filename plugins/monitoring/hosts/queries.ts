/**
 * Reads of hosts for administrators: the listing, and one host with its packages and repositories. Reads of agents are beside
 * their routes, those of the numbers in `numbers.ts`.
 */
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { type ListSpec, notFound, type RawBuilder, type Viewer } from "lectern/core";
import { prepared, refs } from "lectern/db";
import type { HostsContext } from "./contract.ts";

const SHOWN = [
  "hosts.id",
  "hosts.friendly_name",
  "hosts.hostname",
  "hosts.ip",
  "hosts.os_name",
  "hosts.os_version",
  "hosts.architecture",
  "hosts.kernel_version",
  "hosts.agent_version",
  "hosts.status",
  "hosts.inactive_reason",
  "hosts.n_packages as packages",
  "hosts.n_outdated as outdated_packages",
  "hosts.n_security as security_updates",
  "hosts.needs_reboot",
  "hosts.reboot_reason",
  "hosts.api_id",
  "hosts.last_seen_at",
  "hosts.last_report_at",
  "hosts.created_at",
  "hosts.updated_at",
] as const;

/** The listing of hosts. */
export const HOST_LISTING: ListSpec = {
  table: "hosts",
  fields: {
    id: "integer",
    friendly_name: "text",
    hostname: { type: "code", nullable: true },
    os_name: "code",
    os_version: "code",
    status: "code",
    outdated_packages: { type: "integer", column: refs("hosts.n_outdated") },
    security_updates: { type: "integer", column: refs("hosts.n_security") },
    needs_reboot: "boolean",
    last_seen_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: refs(...SHOWN),
};

const readHost = prepared("hosts.find", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("hosts")
    .select(SHOWN)
    .select((eb) => [
      jsonArrayFrom(
        eb
          .selectFrom("host_outdated as o")
          .innerJoin("packages", "packages.id", "o.package_id")
          .select(["packages.name", "o.current_version", "o.available_version", "o.security"])
          .whereRef("o.host_id", "=", "hosts.id")
          .orderBy("packages.name"),
      ).as("outdated"),
      jsonArrayFrom(
        eb
          .selectFrom("host_repositories as h")
          .innerJoin("repositories as r", "r.id", "h.repository_id")
          .select([
            "r.name",
            "r.url",
            "r.distribution",
            "r.components",
            "r.repo_type as type",
            "h.is_enabled as enabled",
          ])
          .whereRef("h.host_id", "=", "hosts.id")
          .orderBy("r.url")
          .orderBy("r.id"),
      ).as("repositories"),
    ])
    .where("hosts.id", "=", p.id)
    .where(p.visible),
);

/** A host with its outdated packages and repositories, in one statement. Throws 404 where the viewer may not see it. */
export async function findHost({ db, visible }: HostsContext, viewer: Viewer, id: number) {
  const host = await readHost.executeTakeFirst(db, { id, visible: visible.where("hosts", viewer) });
  if (!host) throw notFound("Host");
  return host;
}

const readAgentVersion = prepared("hosts.agentVersion", (db, p: { id: number }) =>
  db.selectFrom("hosts").select("agent_version").where("id", "=", p.id),
);

/** The version of a host's agent; null where it is unknown. */
export async function agentVersionOf({ db }: Pick<HostsContext, "db">, id: number): Promise<string | null> {
  return (await readAgentVersion.executeTakeFirst(db, { id }))?.agent_version ?? null;
}
