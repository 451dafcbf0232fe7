/**
 * The statistics for users who manage the instance: with the credentials, limit and error shape of the content API. Dashboards
 * have their own paths, and keys.
 */
import { endpoint, type RawBuilder, SECOND_MS, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { type DashboardContext, extendedStatisticsSchema, usageSchema } from "./contract.ts";
import { extendedStatistics, figuresOf } from "./extended_statistics.ts";
import { limitKey } from "./route_scope.ts";
import { orFailure, reading } from "./routes.ts";

const permit = "settings-manage";

/** Mounts the routes. */
export function mountAdminRoutes(context: DashboardContext): void {
  mountNumbers(context);
  mountUsage(context);
}

function mountNumbers({ app, fleet, log, read, slot }: DashboardContext): void {
  app.get(
    "/v1/dashboard/numbers",
    async () => {
      const [numbers, figures] = await Promise.all([reading(read, log), figuresOf(slot("dashboard_figure"))]);
      return orFailure(log, () => extendedStatistics(numbers, fleet, figures));
    },
    {
      permit,
      response: extendedStatisticsSchema,
      ...endpoint("dashboard", "numbers", {
        about: "The extended statistics, for users who manage settings; no key is needed.",
      }),
    },
  );
}

/** The addresses of dashboards with the names of their keys, the last used first. */
const listAddresses = prepared("dashboard.listAddresses", (db, p: { visible: RawBuilder<boolean> }) =>
  db
    .selectFrom("dash_keys")
    .select(({ fn, ref }) => [
      ref("last_used_ip").$notNull().as("address"),
      fn.agg<string[]>("array_agg", ["name"]).orderBy("name").orderBy("id").as("keys"),
    ])
    .where("integration_type", "=", sql.lit("dashboard"))
    .where("last_used_ip", "is not", null)
    .where(p.visible)
    .groupBy("last_used_ip")
    .orderBy(({ fn }) => fn.max("last_used_at"), "desc")
    .limit(sql.lit(50)),
);

function mountUsage({ app, db, limit, usage, visible, windowMs }: DashboardContext): void {
  app.get(
    "/v1/dashboard/usage",
    async ({ viewer }) => {
      const used = await listAddresses.execute(db, { visible: visible.where("dash_keys", viewer) });
      const addresses = used.map(({ address, keys }) => {
        const allowance = usage.of(limitKey(address));
        const remaining = allowance?.remaining ?? limit;
        return {
          address,
          keys,
          used: limit - remaining,
          remaining,
          resets_at: allowance ? new Date(allowance.resetsAt * SECOND_MS).toISOString() : null,
        };
      });
      return { limit, window_seconds: Math.round(windowMs / SECOND_MS), addresses };
    },
    {
      permit,
      response: usageSchema,
      ...endpoint("dashboard", "usage", {
        about:
          "The part of the rate limit that each address of a dashboard has used, as counted by this server.\n" +
          "A `limit` of 0 means no limit.",
      }),
    },
  );
}
