/**
 * The routes by which administrators manage hosts (dashboard-stats 6.4): create, rename, exclude from the numbers, delete. Only the
 * answer to the request that creates a host has its key. Listings have counts; a single host also has its outdated packages and
 * its repositories.
 */
import { endpoint, type InputObject, idOf, noContent, rules, type Viewer } from "lectern/core";
import { createdHostSchema, hostListingSchema, hostSchema, type ListedHost, type ShownHost } from "./answers.ts";
import { changeHost, insertHost, randomCredentials, removeHost } from "./changes.ts";
import type { HostFacts, HostsContext } from "./contract.ts";
import { examples } from "./docs.ts";
import { findHost, HOST_LISTING } from "./queries.ts";

const permit = "settings-manage";

const createRules = rules({ friendly_name: ["required", "string", "min:1", "max:255"] });
const updateRules = rules({ friendly_name: ["string", "min:1", "max:255"], status: ["string", "in:active,inactive"] });

/** Mounts the routes of hosts below /api/v1/dashboard. */
export function mountHosts(context: HostsContext): void {
  const { app, list } = context;
  const about = "Lists monitored hosts with their status, system and counts of packages.";
  app.get("/v1/dashboard/hosts", ({ viewer, nestedQuery }) => list<ListedHost>(HOST_LISTING, viewer, nestedQuery), {
    permit,
    response: hostListingSchema,
    ...endpoint("dashboard", "hosts-list", { about }),
  });
  mountCreate(context);
  mountOne(context);
}

function mountCreate({ app, perform, validate }: HostsContext): void {
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
      response: { 201: createdHostSchema },
      ...endpoint("dashboard", "hosts-create", {
        about:
          "Creates a host and shows its key, only in this answer. Agents send both as X-API-ID and X-API-KEY.\n" +
          "The host is pending, and not included in any number, until its first report.",
        rules: createRules,
        example: examples.create,
      }),
    },
  );
}

function mountOne(context: HostsContext): void {
  const { app, perform, validate } = context;
  const found = (viewer: Viewer, param: string) => findHost(context, viewer, idOf(param, "Host"));
  app.get("/v1/dashboard/hosts/:id", async ({ viewer, params }) => found(viewer, params.id), {
    permit,
    response: hostSchema,
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
      response: hostSchema,
      ...endpoint("dashboard", "hosts-update", {
        about: "Renames a host, excludes it from all numbers (`inactive`) or includes it again (`active`).",
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
      response: noContent,
      ...endpoint("dashboard", "hosts-delete", {
        about: "Deletes a host and its reports. Requests of its agent are rejected.",
      }),
    },
  );
}

function factsOf({ id, friendly_name, status }: ShownHost): HostFacts {
  return { id, name: friendly_name, status };
}
