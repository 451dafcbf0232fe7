/**
 * The history of the numbers: a row for each hour, written by a schedule, so that its cost does not depend on the size of the
 * fleet. Hours in which no server ran have no row and are not interpolated.
 */
import { endpoint, rules, sql } from "lectern/core";
import { type Db, prepared } from "lectern/db";
import { historySchema } from "./answers.ts";
import type { HostsContext } from "./contract.ts";
import { MEASURES } from "./counters.ts";

/** How long rows are kept. */
const KEPT = "3 years";
const MAX_DAYS = 1095;
const DEFAULT_DAYS = 30;
/** Longest range shown by the hour; longer ones are shown by the day. */
const DAYS_BY_HOUR = 7;

const historyRules = rules({ days: ["integer", "min:1", `max:${MAX_DAYS}`] });

/** The numbers at one time of each hour or day ("hour", "day"): its last ones. */
const readHistory = prepared("hosts.history", (db, p: { step: string; days: number }) =>
  db
    .with("kept", (query) =>
      query
        .selectFrom("host_history")
        .selectAll()
        .select((eb) => sql<string>`date_trunc(${p.step}::text, ${eb.ref("at")}, 'UTC')`.as("bin"))
        .where("at", ">=", sql<string>`now() - make_interval(days => ${p.days}::integer)`),
    )
    .selectFrom("kept")
    .distinctOn("bin")
    .select((eb) => [
      "at",
      eb.cast<number>("hosts", "float8").as("total_hosts"),
      eb.cast<number>("needing", "float8").as("hosts_needing_updates"),
      eb.cast<number>("at_risk", "float8").as("hosts_with_security_updates"),
      eb.cast<number>("outdated", "float8").as("total_outdated_packages"),
      eb.cast<number>("security", "float8").as("security_updates"),
      eb.cast<number>("rebooting", "float8").as("reboot_required_hosts"),
    ])
    .orderBy("bin")
    .orderBy("at", "desc"),
);

/** Inserts or replaces the row of this hour, and deletes rows that are too old. */
export async function recordHistory(db: Db): Promise<void> {
  await db
    .insertInto("host_history")
    .columns(["at", ...MEASURES])
    .expression((eb) =>
      eb
        .selectFrom("host_totals")
        .select(sql<string>`date_trunc('hour', now(), 'UTC')`.as("at"))
        .select(MEASURES.map((name) => eb.fn.coalesce(eb.fn.sum<number>(name), sql.lit(0)).as(name)))
        .where("status", "=", "active"),
    )
    .onConflict((conflict) =>
      conflict.column("at").doUpdateSet((eb) => ({
        hosts: eb.ref("excluded.hosts"),
        needing: eb.ref("excluded.needing"),
        at_risk: eb.ref("excluded.at_risk"),
        outdated: eb.ref("excluded.outdated"),
        security: eb.ref("excluded.security"),
        rebooting: eb.ref("excluded.rebooting"),
      })),
    )
    .execute();
  await db
    .deleteFrom("host_history")
    .where("at", "<", sql<string>`now() - interval ${sql.lit(KEPT)}`)
    .execute();
}

/** Mounts the route of the history. */
export function mountHistory({ app, db, validate }: HostsContext): void {
  app.get(
    "/v1/dashboard/history",
    async ({ viewer, nestedQuery }) => {
      const { days = DEFAULT_DAYS } = await validate(historyRules, nestedQuery, viewer);
      const step = days <= DAYS_BY_HOUR ? ("hour" as const) : ("day" as const);
      return { days, step, points: await readHistory.execute(db, { step, days }) };
    },
    {
      permit: "settings-manage",
      response: historySchema,
      ...endpoint("dashboard", "history", {
        about:
          "The numbers of active hosts over the last `days`, 30 by default: hourly for up to seven days, daily beyond, each " +
          "day with its last numbers.",
        rules: historyRules,
      }),
    },
  );
}
