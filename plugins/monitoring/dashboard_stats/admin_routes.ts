/**
 * What people who manage the instance read of the same numbers: with their own credentials and limit, in the content API's
 * shape of errors. Dashboards have paths of their own, and keys.
 */
import { endpoint, type PluginContext, sql } from "lectern/core";
import { rows } from "lectern/db";
import { limitKey } from "./area.ts";
import { extendedStatistics, figuresOf } from "./extended_statistics.ts";
import type { Windows } from "./rate_limit_usage.ts";
import { reading, type Sources, tried } from "./routes.ts";

type Context = Pick<PluginContext<never, "dash_keys">, "app" | "db" | "log" | "slot" | "visible">;

/** What the routes need beside the context. */
export interface OwnParts extends Sources {
  readonly windows: Windows;
  /** Requests of an address in a window; 0 for any number. */
  readonly limit: number;
  readonly windowMs: number;
}

const permit = "settings-manage";

/** Mounts the routes. */
export function mountOwn(context: Context, parts: OwnParts): void {
  mountNumbersForPeople(context, parts);
  mountUsage(context, parts);
}

function mountNumbersForPeople({ app, log, slot }: Context, { fleet, read }: OwnParts): void {
  app.get(
    "/v1/dashboard/numbers",
    async () => {
      const [numbers, figures] = await Promise.all([reading(read, log), figuresOf(slot("dashboard_figure"), log)]);
      return tried(log, () => extendedStatistics(numbers, fleet, figures));
    },
    {
      permit,
      ...endpoint("dashboard", "numbers", {
        about: "The extended statistics of dashboards, for those who manage settings; no key is needed.",
      }),
    },
  );
}

function mountUsage({ app, db, visible }: Context, { windows, limit, windowMs }: OwnParts): void {
  app.get(
    "/v1/dashboard/usage",
    async ({ viewer }) => {
      const used = await rows(
        db,
        sql<{
          address: string;
          keys: string[];
        }>`select last_used_ip as address, array_agg(name order by name, id) as keys
          from dash_keys where integration_type = 'dashboard' and last_used_ip is not null
            and ${visible.where("dash_keys", viewer)}
          group by last_used_ip order by max(last_used_at) desc limit 50`,
      );
      const addresses = used.map(({ address, keys }) => {
        const allowance = windows.of(limitKey(address));
        const remaining = allowance?.remaining ?? limit;
        return {
          address,
          keys,
          used: limit - remaining,
          remaining,
          resets_at: allowance ? new Date(allowance.resetsAt * 1000).toISOString() : null,
        };
      });
      return { limit, window_seconds: Math.round(windowMs / 1000), addresses };
    },
    {
      permit,
      ...endpoint("dashboard", "usage", {
        about:
          "How much of the limit the addresses have used that dashboards last asked from, as this server has counted.\n" +
          "A `limit` of 0 is none.",
      }),
    },
  );
}
