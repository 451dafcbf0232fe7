import { type ListSpec, notFound, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ShownHost } from "./answers.ts";
import type { HostsContext } from "./contract.ts";

const SHOWN = sql`hosts.id, hosts.friendly_name, hosts.hostname, hosts.ip, hosts.os_name, hosts.os_version,
  hosts.architecture, hosts.kernel_version, hosts.agent_version, hosts.status, hosts.inactive_reason,
  hosts.n_packages as packages, hosts.n_outdated as outdated_packages, hosts.n_security as security_updates,
  hosts.needs_reboot, hosts.reboot_reason, hosts.api_id, hosts.last_seen_at, hosts.last_report_at, hosts.created_at,
  hosts.updated_at`;

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
    outdated_packages: { type: "integer", column: sql`hosts.n_outdated` },
    security_updates: { type: "integer", column: sql`hosts.n_security` },
    needs_reboot: "boolean",
    last_seen_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: SHOWN,
};

/** A host with its outdated packages and repositories, in one statement. Throws 404 where the viewer may not see it. */
export async function findHost({ db, visible }: HostsContext, viewer: Viewer, id: number): Promise<ShownHost> {
  const [host] = await rows(
    db,
    sql<ShownHost>`select ${SHOWN},
      (select coalesce(json_agg(json_build_object('name', packages.name, 'current_version', o.current_version,
          'available_version', o.available_version, 'security', o.security) order by packages.name), '[]')
        from host_outdated as o join packages on packages.id = o.package_id where o.host_id = hosts.id) as outdated,
      (select coalesce(json_agg(json_build_object('name', r.name, 'url', r.url, 'distribution', r.distribution,
          'components', r.components, 'type', r.repo_type, 'enabled', h.is_enabled) order by r.url, r.id), '[]')
        from host_repositories as h join repositories as r on r.id = h.repository_id where h.host_id = hosts.id)
        as repositories
      from hosts where hosts.id = ${id} and ${visible.where("hosts", viewer)}`,
  );
  if (!host) throw notFound("Host");
  return host;
}
