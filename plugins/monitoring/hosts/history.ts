/**
 * The history of the numbers: a row for each hour, written by a schedule, so that its cost does not depend on the size of the
 * fleet. Hours in which no server ran have no row and are not interpolated.
 */
import { endpoint, rules, type Static, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { historySchema } from "./answers.ts";
import type { HostsContext } from "./contract.ts";

/** How long rows are kept. */
const KEPT = "3 years";
const MAX_DAYS = 1095;
const DEFAULT_DAYS = 30;
/** Longest range shown by the hour; longer ones are shown by the day. */
const DAYS_BY_HOUR = 7;

const historyRules = rules({ days: ["integer", "min:1", `max:${MAX_DAYS}`] });

type Point = Static<typeof historySchema>["points"][number];

/** Inserts or replaces the row of this hour, and deletes rows that are too old. */
export async function recordHistory(db: Pick<Db, "executeQuery">): Promise<void> {
  const measures = ["hosts", "needing", "at_risk", "outdated", "security", "rebooting"];
  const sums = measures.map((name) => `coalesce(sum(${name}), 0)`).join(", ");
  const fresh = measures.map((name) => `${name} = excluded.${name}`).join(", ");
  await rows(
    db,
    sql`insert into host_history (at, ${sql.raw(measures.join(", "))})
      select date_trunc('hour', now(), 'UTC'), ${sql.raw(sums)} from host_totals where status = 'active'
      on conflict (at) do update set ${sql.raw(fresh)}`,
  );
  await rows(db, sql`delete from host_history where at < now() - interval '${sql.raw(KEPT)}'`);
}

/** Mounts the route of the history. */
export function mountHistory({ app, db, validate }: HostsContext): void {
  app.get(
    "/v1/dashboard/history",
    async ({ viewer, nestedQuery }) => {
      const { days = DEFAULT_DAYS } = await validate(historyRules, nestedQuery, viewer);
      const step = days <= DAYS_BY_HOUR ? ("hour" as const) : ("day" as const);
      const points = await rows<Point>(
        db,
        sql`with kept as (
            select *, date_trunc(${step}::text, at, 'UTC') as bin from host_history
            where at >= now() - make_interval(days => ${days}::integer))
          select distinct on (bin) at, hosts::float8 as total_hosts, needing::float8 as hosts_needing_updates,
            at_risk::float8 as hosts_with_security_updates, outdated::float8 as total_outdated_packages,
            security::float8 as security_updates, rebooting::float8 as reboot_required_hosts
          from kept order by bin, at desc`,
      );
      return { days, step, points };
    },
    {
      permit: "settings-manage",
      response: historySchema,
      ...endpoint("dashboard", "history", {
        about:
          "The numbers of active hosts over the last `days`, 30 by default: hourly for up to seven days, daily beyond, each " +
          "day with its last numbers.",
      }),
    },
  );
}
