/**
 * The routes of the statistics, also at the paths that clients of PatchMon have built in (dashboard-stats 1.1). Their viewer
 * is a key, not a user (`route_scope.ts`).
 */
import { ApiError, endpoint, fileAnswer, idOf, notFound, type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import {
  type DashboardContext,
  extendedStatisticsSchema,
  healthSchema,
  snippetsSchema,
  statisticsSchema,
} from "./contract.ts";
import { examples } from "./docs.ts";
import { extendedStatistics, figuresOf } from "./extended_statistics.ts";
import { METRICS_TYPE, metricsText } from "./metrics.ts";
import { UNAVAILABLE } from "./route_scope.ts";
import { coalesce, TIMEOUT_MS } from "./shared_reads.ts";
import { snippetsFor } from "./snippets.ts";
import { hasTag, type Reading } from "./statistics.ts";

const CACHE_CONTROL = "private, no-cache";
/** The content type of the statistics (dashboard-stats 1.4); errors have "application/json" (3.4). */
const JSON_TYPE = "application/json; charset=utf-8";
/** URLs of the statistics, the only answers with entity tags. */
const TAGGED = /^[a-z]+:\/\/[^/?#]*\/api\/v1\/(?:dashboard|gethomepage)\/stats\/?(?:\?|$)/;
const permit = "access-api";

/** Answers requests for the statistics whose entity tag matches. Throws as the route does where the numbers cannot be read. */
export function notModifiedBy(
  read: DashboardContext["read"],
  log: DashboardContext["log"],
): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const tag = request.headers.get("if-none-match");
    if (tag === null || !TAGGED.test(request.url)) return undefined;
    const found = await reading(read, log);
    if (!hasTag(tag, found.etag)) return undefined;
    return new Response(null, { status: 304, headers: { etag: found.etag, "cache-control": CACHE_CONTROL } });
  };
}

const probe = prepared("dashboard.probe", (db) => db.selectNoFrom(sql<number>`1`.as("one")));

/** Mounts the routes that dashboards poll. */
export function mountStatisticsRoutes(context: DashboardContext): void {
  mountStatistics(context, "/v1/dashboard/stats", "stats", "Statistics of all active hosts, for dashboards.");
  mountStatistics(context, "/v1/gethomepage/stats", "homepage-stats", "The same at PatchMon's path.");
  const isAlive = coalesce(() => probe.execute(context.db, {}), TIMEOUT_MS);
  mountHealth(context, isAlive, "/v1/dashboard/health", "health", "Confirms that a key works, with its name.");
  mountHealth(context, isAlive, "/v1/gethomepage/health", "homepage-health", "The same at PatchMon's path.");
  mountExtended(context);
  mountMetrics(context);
}

function mountStatistics({ app, log, read }: DashboardContext, path: string, action: string, text: string): void {
  app.get(
    path,
    async () => {
      const { text: body, etag } = await reading(read, log);
      const headers = { etag, "cache-control": CACHE_CONTROL, "content-type": JSON_TYPE };
      return new Response(body, { headers });
    },
    {
      permit,
      response: statisticsSchema,
      ...endpoint("dashboard", action, {
        about: `${text}\nAuthentication is Basic, with a dashboard key and its secret.`,
        example: examples.stats,
      }),
    },
  );
}

type Probe = () => Promise<unknown>;

/** Queries the store, as the check of the key is mostly served from the cache. */
function mountHealth(
  { app, log }: DashboardContext,
  isAlive: Probe,
  path: string,
  action: string,
  about: string,
): void {
  app.get(
    path,
    async ({ set, viewer }) => {
      try {
        await isAlive();
      } catch (error) {
        log.error("The store does not respond", { error });
        throw UNAVAILABLE;
      }
      set.headers["cache-control"] = CACHE_CONTROL;
      return { status: "ok", timestamp: new Date().toISOString(), api_key: viewer.name };
    },
    { permit, response: healthSchema, ...endpoint("dashboard", action, { about }) },
  );
}

function mountExtended({ app, fleet, log, read, slot }: DashboardContext): void {
  app.get(
    "/v1/dashboard/stats/extended",
    async ({ set }) => {
      set.headers["cache-control"] = CACHE_CONTROL;
      const [numbers, figures] = await Promise.all([reading(read, log), figuresOf(slot("dashboard_figure"))]);
      const statistics = await orFailure(log, () => extendedStatistics(numbers, fleet, figures));
      set.headers["content-type"] = JSON_TYPE;
      return statistics;
    },
    {
      permit,
      response: extendedStatisticsSchema,
      ...endpoint("dashboard", "stats-extended", {
        about:
          "The statistics with hosts by status, versions of operating systems, distinct packages, and figures of other " +
          "plugins.\n`stale_hosts` and the distinct counts are as of `unique_as_of`, at most a minute ago.",
      }),
    },
  );
}

function mountMetrics({ app, fleet, log, read, slot }: DashboardContext): void {
  app.get(
    "/v1/dashboard/metrics",
    async ({ set }) => {
      set.headers["cache-control"] = CACHE_CONTROL;
      set.headers["content-type"] = METRICS_TYPE;
      const figures = slot("dashboard_figure");
      const [numbers, values] = await Promise.all([reading(read, log), figuresOf(figures)]);
      return metricsText(numbers, fleet.drift(), figures, values);
    },
    {
      permit,
      response: fileAnswer("text/plain"),
      ...endpoint("dashboard", "metrics", { about: "The statistics in the Prometheus text format." }),
    },
  );
}

const findTokenKey = prepared("dashboard.findTokenKey", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("dash_keys")
    .select("token_key")
    .where("dash_keys.id", "=", p.id)
    .where("integration_type", "=", sql.lit("dashboard"))
    .where(p.visible),
);

/** Mounts the route of the snippets that the screen of a key shows. */
export function mountSnippets({ app, baseUrl, db, visible }: DashboardContext): void {
  app.get(
    "/v1/dashboard/keys/:id/snippets",
    async ({ viewer, params }) => {
      const id = idOf(params.id, "Key");
      const key = await findTokenKey.executeTakeFirst(db, { id, visible: visible.where("dash_keys", viewer) });
      if (!key) throw notFound("Key");
      return snippetsFor(baseUrl, key.token_key);
    },
    {
      permit: "settings-manage",
      response: snippetsSchema,
      ...endpoint("dashboard", "keys-snippets", {
        about: "Snippets for the configuration of Homepage, Homarr, Glance and Prometheus, without the secret.",
      }),
    },
  );
}

/** Reads the numbers. Logs a failure and throws the 500 that dashboards expect. */
export function reading(read: DashboardContext["read"], log: DashboardContext["log"]): Promise<Reading> {
  return orFailure(log, read);
}

/** Runs `read`. Logs a failure and throws the 500 that dashboards expect. */
export async function orFailure<T>(log: DashboardContext["log"], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    log.error("Cannot read the numbers", { error });
    throw new ApiError(500, "Failed to fetch statistics");
  }
}
