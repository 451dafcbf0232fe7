/**
 * How the numbers grew: a row of them for each hour, written by a schedule, so that a fleet of any size costs the same.
 * Hours in which no server ran have no row; nothing is made up for them.
 */
import { endpoint, type PluginContext, rules, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** How long rows are kept. */
const KEPT = "3 years";
const MAX_DAYS = 1095;
const DEFAULT_DAYS = 30;
/** So many days are shown by the hour, more of them by the day. */
const DAYS_BY_HOUR = 7;

const historyRules = rules({ days: ["integer", "min:1", `max:${MAX_DAYS}`] });

/** The numbers at one time; of a day, its last ones. */
interface Point {
  readonly at: string;
  readonly total_hosts: number;
  readonly hosts_needing_updates: number;
  readonly hosts_with_security_updates: number;
  readonly total_outdated_packages: number;
  readonly security_updates: number;
  readonly reboot_required_hosts: number;
}

/** Writes the row of this hour, or writes it anew, and removes those that are too old. */
export async function keepHistory(db: Pick<Db, "executeQuery">): Promise<void> {
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

/** Mounts the route by which the rows are read. */
export function mountHistory({
  app,
  db,
  validate,
}: Pick<PluginContext<never, "host_history">, "app" | "db" | "validate">) {
  app.get(
    "/v1/dashboard/history",
    async ({ viewer, asked }) => {
      const { days = DEFAULT_DAYS } = await validate(historyRules, asked, viewer);
      const step = days <= DAYS_BY_HOUR ? "hour" : "day";
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
      ...endpoint("dashboard", "history", {
        about:
          "The numbers of active hosts over the last `days`, 30 unless told otherwise: by the hour up to seven days, by " +
          "the day beyond, each day with its last numbers.",
      }),
    },
  );
}
