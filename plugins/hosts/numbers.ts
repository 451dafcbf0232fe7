/**
 * Reads the numbers of the fleet: one statement over the counters, so all fields are of one moment (dashboard-stats 9.4).
 * The window of 24 hours is whole hours and minutes by their counts, and the one minute in which it begins row by row, so
 * it is exact and never reads more than a few hundred rows. What would need all hosts is counted apart, once a minute.
 */
import { sql } from "lectern/core";
import { type Db, prepared, rows } from "lectern/db";
import type { FleetDetails, FleetNumbers } from "./contract.ts";
import { WINDOW } from "./counters.ts";

type Reader = Pick<Db, "executeQuery">;

const stamp = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const sums = (names: readonly string[]) =>
  names.map((name) => `coalesce(sum(${name}), 0)::float8 as ${name}`).join(", ");

/** The statement of a poll. */
export const NUMBERS_SQL: string = `with edge as (select now() - interval '${WINDOW}' as at),
  versions as (
    select status, os_name, os_version, ${sums(["hosts", "needing", "at_risk", "outdated", "security", "rebooting"])}
    from host_totals group by status, os_name, os_version
  ), active as (select * from versions where status = 'active'),
  systems as (select os_name, sum(hosts) as count from active group by os_name having sum(hosts) > 0)
  select ${sums(["hosts", "needing", "at_risk", "outdated", "security", "rebooting"])},
    (select coalesce(sum(hosts), 0)::float8 from versions where status = 'pending') as pending,
    (select coalesce(sum(hosts), 0)::float8 from versions where status = 'inactive') as inactive,
    (select count(*)::float8 from repositories where is_active and n_hosts > 0) as repositories,
    (select coalesce((select sum(n) from report_counts
        where minutes = 60 and starts_at >= date_trunc('hour', edge.at, 'UTC') + interval '1 hour'), 0)::float8
      + coalesce((select sum(n) from report_counts
        where minutes = 1 and starts_at >= date_trunc('minute', edge.at, 'UTC') + interval '1 minute'
        and starts_at < date_trunc('hour', edge.at, 'UTC') + interval '1 hour'), 0)::float8
      + (select count(*) from host_reports where received_at >= edge.at
        and received_at < date_trunc('minute', edge.at, 'UTC') + interval '1 minute')::float8 from edge) as reports_24h,
    (select coalesce(json_agg(json_build_object('name', os_name, 'count', count)
        order by count desc, os_name collate "C"), '[]') from systems) as systems,
    (select coalesce(json_agg(json_build_object('name', os_name, 'version', os_version, 'count', hosts)
        order by hosts desc, os_name collate "C", os_version collate "C"), '[]')
      from active where hosts > 0) as versions,
    ${stamp("now()")} as at
  from active`;
const NUMBERS = prepared<FleetNumbers>(sql.raw(NUMBERS_SQL));

/** The numbers as of now. */
export async function readNumbers(db: Reader): Promise<FleetNumbers> {
  const [numbers] = await rows(db, NUMBERS);
  return numbers as FleetNumbers;
}

/** What takes a look at every host; `staleMinutes` is the silence after which an active host is stale. */
export async function readDetails(db: Reader, staleMinutes: number): Promise<FleetDetails> {
  const [details] = await rows(
    db,
    sql<FleetDetails>`select count(distinct package_id) as unique_outdated,
        count(distinct package_id) filter (where security) as unique_security,
        (select count(*) from hosts where status = 'active'
          and last_seen_at < now() - make_interval(mins => ${staleMinutes}::integer)) as stale,
        ${sql.raw(stamp("now()"))} as at
      from host_outdated join hosts on hosts.id = host_outdated.host_id where hosts.status = 'active'`,
  );
  return details as FleetDetails;
}

/** Remembers what `read` answers for `ms`; whoever comes while it is being read waits for that. */
export function remembered<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let until = 0;
  let value: Promise<T> | undefined;
  return () => {
    if (value && Date.now() < until) return value;
    until = Date.now() + ms;
    value = read();
    value.catch(() => {
      until = 0;
    });
    return value;
  };
}
