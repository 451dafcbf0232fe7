/**
 * The paths of the numbers, those of PatchMon's dashboards among them: the same handlers under the names its clients have
 * built in (dashboard-stats 1.1). They know no user; who asks is a key (`area.ts`).
 */
import { ApiError, endpoint, idOf, notFound, type PluginContext, sql } from "lectern/core";
import { rows } from "lectern/db";
import { UNAVAILABLE } from "./area.ts";
import type { Fleet } from "./contract.ts";
import { examples } from "./docs.ts";
import { extendedStatistics, figuresOf } from "./extended_statistics.ts";
import { METRICS_TYPE, metricsText } from "./metrics.ts";
import { snippetsFor } from "./snippets.ts";
import { coalesced, hasTag, type Reading, TIMEOUT_MS } from "./statistics.ts";

type Context = Pick<PluginContext<never, "dash_keys">, "app" | "baseUrl" | "db" | "log" | "slot" | "visible">;

/** Where the routes have the numbers from. */
export interface Sources {
  readonly fleet: Fleet;
  readonly read: () => Promise<Reading>;
}

const CACHE_CONTROL = "private, no-cache";
/** The type of the statistics (dashboard-stats 1.4); errors have none but "application/json" (3.4). */
const JSON_TYPE = "application/json; charset=utf-8";
/** Addresses of the statistics, which alone have tags. */
const TAGGED = /^[a-z]+:\/\/[^/?#]*\/api\/v1\/(?:dashboard|gethomepage)\/stats\/?(?:\?|$)/;
const permit = "access-api";

/** Answers requests for the statistics whose tag still holds. Throws as the route does where the numbers cannot be read. */
export function unchangedBy(
  read: Sources["read"],
  log: Context["log"],
): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const tag = request.headers.get("if-none-match");
    if (tag === null || !TAGGED.test(request.url)) return undefined;
    const found = await reading(read, log);
    if (!hasTag(tag, found.etag)) return undefined;
    return new Response(null, { status: 304, headers: { etag: found.etag, "cache-control": CACHE_CONTROL } });
  };
}

/** Mounts the paths of the numbers. */
export function mountNumbers(context: Context, sources: Sources): void {
  mountStatistics(context, sources, "/v1/dashboard/stats", "stats", "The numbers of all active hosts, for dashboards.");
  mountStatistics(context, sources, "/v1/gethomepage/stats", "homepage-stats", "The same, where PatchMon has it.");
  const isAlive = coalesced(() => rows(context.db, sql`select 1`), TIMEOUT_MS);
  mountHealth(context, isAlive, "/v1/dashboard/health", "health", "Says that a key works, and its name.");
  mountHealth(context, isAlive, "/v1/gethomepage/health", "homepage-health", "The same, where PatchMon has it.");
  mountExtended(context, sources);
  mountMetrics(context, sources);
}

function mountStatistics({ app, log }: Context, { read }: Sources, path: string, action: string, text: string): void {
  app.get(
    path,
    async () => {
      const { text: body, etag } = await reading(read, log);
      const headers = { etag, "cache-control": CACHE_CONTROL, "content-type": JSON_TYPE };
      return new Response(body, { headers });
    },
    {
      permit,
      ...endpoint("dashboard", action, {
        about: `${text}\nCredentials are Basic: a key of a dashboard and its secret.`,
        example: examples.stats,
      }),
    },
  );
}

type Ask = () => Promise<unknown>;

/** The key was mostly judged from memory, so whether the store answers is asked here. */
function mountHealth({ app, log }: Context, isAlive: Ask, path: string, action: string, about: string): void {
  app.get(
    path,
    async ({ set, viewer }) => {
      try {
        await isAlive();
      } catch (error) {
        log.error("The store does not answer", { error });
        throw UNAVAILABLE;
      }
      set.headers["cache-control"] = CACHE_CONTROL;
      return { status: "ok", timestamp: new Date().toISOString(), api_key: viewer.name };
    },
    { permit, ...endpoint("dashboard", action, { about }) },
  );
}

function mountExtended({ app, log, slot }: Context, { fleet, read }: Sources): void {
  app.get(
    "/v1/dashboard/stats/extended",
    async ({ set }) => {
      set.headers["cache-control"] = CACHE_CONTROL;
      const [numbers, figures] = await Promise.all([reading(read, log), figuresOf(slot("dashboard_figure"), log)]);
      const statistics = await tried(log, () => extendedStatistics(numbers, fleet, figures));
      set.headers["content-type"] = JSON_TYPE;
      return statistics;
    },
    {
      permit,
      ...endpoint("dashboard", "stats-extended", {
        about:
          "The numbers and what else users ask for: hosts by status, versions of systems, distinct packages, and figures " +
          "of other plugins.\n`stale_hosts` and the distinct counts are of `unique_as_of`, a minute ago at most.",
      }),
    },
  );
}

function mountMetrics({ app, log, slot }: Context, { fleet, read }: Sources): void {
  app.get(
    "/v1/dashboard/metrics",
    async ({ set }) => {
      set.headers["cache-control"] = CACHE_CONTROL;
      set.headers["content-type"] = METRICS_TYPE;
      const figures = slot("dashboard_figure");
      const [numbers, values] = await Promise.all([reading(read, log), figuresOf(figures, log)]);
      return metricsText(numbers, fleet.drift(), figures, values);
    },
    {
      permit,
      ...endpoint("dashboard", "metrics", { about: "The numbers in the text format of Prometheus." }),
    },
  );
}

/** Mounts what the screen of a key shows to be copied. */
export function mountSnippets({ app, baseUrl, db, visible }: Context): void {
  app.get(
    "/v1/dashboard/keys/:id/snippets",
    async ({ viewer, params }) => {
      const id = idOf(params.id, "Key");
      const [key] = await rows(
        db,
        sql<{ token_key: string }>`select token_key from dash_keys
          where dash_keys.id = ${id} and integration_type = 'dashboard' and ${visible.where("dash_keys", viewer)}`,
      );
      if (!key) throw notFound("Key");
      return snippetsFor(baseUrl, key.token_key);
    },
    {
      permit: "settings-manage",
      ...endpoint("dashboard", "keys-snippets", {
        about: "What to write into the configuration of Homepage, Homarr, Glance or Prometheus, without the secret.",
      }),
    },
  );
}

/** The numbers; what fails is logged and told as dashboards know it. */
export function reading(read: Sources["read"], log: Context["log"]): Promise<Reading> {
  return tried(log, read);
}

/** The same of anything that is made of the numbers. */
export async function tried<T>(log: Context["log"], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    log.error("Cannot read the numbers", { error });
    throw new ApiError(500, "Failed to fetch statistics");
  }
}
