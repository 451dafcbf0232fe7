/**
 * Hosts as administrators manage them (dashboard-stats 6.4): made here or enrolled, renamed, taken out of the numbers,
 * removed. The key of a host is in the answer to the request that makes it and nowhere else. What a host has installed and
 * where from is read with one statement; the list of hosts shows counts alone.
 */
import {
  endpoint,
  type InputObject,
  idOf,
  type ListSpec,
  notFound,
  type PluginContext,
  rules,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { changeHost, insertHost, randomCredentials, removeHost } from "./changes.ts";
import type { HostFacts, HostStatus } from "./contract.ts";

type Context = Pick<PluginContext<never, "hosts">, "app" | "db" | "list" | "perform" | "validate" | "visible">;

/** Who manages hosts and keys: whoever manages the instance. */
const permit = "settings-manage";

const createRules = rules({ friendly_name: ["required", "string", "min:1", "max:255"] });
const updateRules = rules({ friendly_name: ["string", "min:1", "max:255"], status: ["string", "in:active,inactive"] });

const SHOWN = sql`hosts.id, hosts.friendly_name, hosts.hostname, hosts.ip, hosts.os_name, hosts.os_version,
  hosts.architecture, hosts.kernel_version, hosts.agent_version, hosts.status, hosts.inactive_reason,
  hosts.n_packages as packages, hosts.n_outdated as outdated_packages, hosts.n_security as security_updates,
  hosts.needs_reboot, hosts.reboot_reason, hosts.api_id, hosts.last_seen_at, hosts.last_report_at, hosts.created_at,
  hosts.updated_at`;

const LISTING: ListSpec = {
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

interface ShownHost {
  readonly id: number;
  readonly friendly_name: string;
  readonly status: HostStatus;
}

/** Mounts the routes of hosts below /api/v1/dashboard. */
export function mountManagement(context: Context): void {
  const { app, list } = context;
  const about = "Lists monitored hosts with their status, system and counts of packages.";
  app.get("/v1/dashboard/hosts", ({ viewer, asked }) => list<ShownHost>(LISTING, viewer, asked), {
    permit,
    ...endpoint("dashboard", "hosts-list", { about }),
  });
  mountCreate(context);
  mountOne(context);
}

function mountCreate({ app, perform, validate }: Context): void {
  const create = async (viewer: Viewer, input: InputObject) => {
    const draft = await validate(createRules, input, viewer);
    const credentials = randomCredentials();
    const host = await perform("host_create", viewer, draft, (final, tx) => insertHost(final, credentials, tx));
    return { id: host.id, friendly_name: host.name, status: host.status, ...credentials };
  };
  app.post(
    "/v1/dashboard/hosts",
    ({ viewer, input, set }) => {
      set.status = 201;
      return create(viewer, input);
    },
    {
      permit,
      ...endpoint("dashboard", "hosts-create", {
        about:
          "Makes a host and shows its key, this once: agents send both as X-API-ID and X-API-KEY.\n" +
          "It is pending, and counts nowhere, until its first report.",
        rules: createRules,
        example: { request: { friendly_name: "web-1" }, response: CREATED },
      }),
    },
  );
}

function mountOne(context: Context): void {
  const { app, perform, validate } = context;
  const found = (viewer: Viewer, param: string) => findHost(context, viewer, idOf(param, "Host"));
  app.get("/v1/dashboard/hosts/:id", async ({ viewer, params }) => found(viewer, params.id), {
    permit,
    ...endpoint("dashboard", "hosts-read", {
      about: "Reads a host with its outdated packages and its repositories.",
    }),
  });
  app.patch(
    "/v1/dashboard/hosts/:id",
    async ({ viewer, params, input }) => {
      const row = factsOf(await found(viewer, params.id));
      const draft = await validate(updateRules, input, viewer);
      await perform("host_update", viewer, { row, draft: draft as never }, (final, tx) =>
        changeHost(final.row, final.draft, tx),
      );
      return found(viewer, params.id);
    },
    {
      permit,
      ...endpoint("dashboard", "hosts-update", {
        about: "Renames a host, takes it out of all numbers (`inactive`) or into them again (`active`).",
        rules: updateRules,
      }),
    },
  );
  app.delete(
    "/v1/dashboard/hosts/:id",
    async ({ viewer, params, set }) => {
      await perform("host_delete", viewer, factsOf(await found(viewer, params.id)), removeHost);
      set.status = 204;
    },
    {
      permit,
      ...endpoint("dashboard", "hosts-delete", {
        about: "Removes a host and all it reported; its agent is refused from then on.",
      }),
    },
  );
}

function factsOf({ id, friendly_name, status }: ShownHost): HostFacts {
  return { id, name: friendly_name, status };
}

async function findHost({ db, visible }: Context, viewer: Viewer, id: number): Promise<ShownHost> {
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

const CREATED = {
  id: 7,
  friendly_name: "web-1",
  status: "pending",
  api_id: "patchmon_0123456789abcdef",
  api_key: "5f3c…64 hexadecimal digits",
};
