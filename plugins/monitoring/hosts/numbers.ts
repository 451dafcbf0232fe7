/**
 * Reads the numbers of the fleet with one statement over the counters, so all fields are as of one moment (dashboard-stats 9.4).
 * The window of 24 hours is summed from the counts of whole hours, minutes and intervals of ten seconds, and from single rows only
 * where it starts, so it is exact and never reads more than a few hundred rows.
 *
 * The statement compares PostgreSQL's snapshot with that of the last reading. Where no transaction has written since, and no
 * report has left the window, it returns no numbers and the last ones are used: polls of an idle instance cost next to nothing
 * and are never stale. What would have to read all hosts is counted separately, once a minute.
 */
import { type PluginContext, sql } from "lectern/core";
import { type Db, flattened, rows } from "lectern/db";
import type { FleetDetails, FleetNumbers } from "./contract.ts";
import { binOf, WIDTHS, WINDOW } from "./counters.ts";

/** Limit of the statement that reads all hosts, in milliseconds. */
const DETAILS_TIMEOUT_MS = 10_000;
const stamp = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const sums = (names: readonly string[]) =>
  names.map((name) => `coalesce(sum(${name}), 0)::float8 as ${name}`).join(", ");
const EDGE = `(now() - interval '${WINDOW}')`;

/** SQL for the start of the first interval of a width that lies entirely within the window. */
function firstWhole(seconds: number): string {
  return `${binOf(EDGE, seconds)} + make_interval(secs => ${seconds})`;
}

/** SQL for the number of reports in the window: each width up to where the next wider one starts, the rest by rows. */
function recentReports(): string {
  const counted = WIDTHS.map((seconds, at) => {
    const wider = WIDTHS[at - 1];
    const end = wider === undefined ? "" : `and starts_at < ${firstWhole(wider)}`;
    return `coalesce((select sum(n) from report_counts
      where seconds = ${seconds} and starts_at >= ${firstWhole(seconds)} ${end}), 0)`;
  });
  const rest = `(select count(*) from host_reports
    where received_at >= ${EDGE} and received_at < ${firstWhole(WIDTHS[WIDTHS.length - 1] as number)})`;
  return [...counted, rest].join(" + ");
}

/** The statement of all numbers. `holds_until` is when the first report leaves the window. */
export const NUMBERS_SQL: string = `with versions as (
    select status, os_name, os_version, ${sums(["hosts", "needing", "at_risk", "outdated", "security", "rebooting"])}
    from host_totals group by status, os_name, os_version
  ), active as (select * from versions where status = 'active'),
  systems as (select os_name, sum(hosts) as count from active group by os_name having sum(hosts) > 0)
  select ${sums(["hosts", "needing", "at_risk", "outdated", "security", "rebooting"])},
    (select coalesce(sum(hosts), 0)::float8 from versions where status = 'pending') as pending,
    (select coalesce(sum(hosts), 0)::float8 from versions where status = 'inactive') as inactive,
    (select count(*)::float8 from repositories where is_active and n_hosts > 0) as repositories,
    (${recentReports()})::float8 as reports_24h,
    (select coalesce(json_agg(json_build_object('name', os_name, 'count', count)
        order by count desc, os_name collate "C"), '[]') from systems) as systems,
    (select coalesce(json_agg(json_build_object('name', os_name, 'version', os_version, 'count', hosts)
        order by hosts desc, os_name collate "C", os_version collate "C"), '[]')
      from active where hosts > 0) as versions,
    (select min(received_at) + interval '${WINDOW}' from host_reports where received_at >= ${EDGE}) as holds_until
  from active`;

const NUMBERS = flattened(sql.raw(NUMBERS_SQL));
const NOW = flattened<string>(sql.raw(stamp("now()")));

interface Read {
  readonly snapshot: string;
  readonly at: string;
  /** Null where nothing was written since the last reading. */
  readonly numbers: (Omit<FleetNumbers, "at"> & { readonly holds_until: string | null }) | null;
}

/** Creates a reader of the current numbers, which caches its last reading. */
export function numbersReader(queryWithDeadline: PluginContext["queryWithDeadline"]): () => Promise<FleetNumbers> {
  let last: { readonly snapshot: string; readonly numbers: FleetNumbers; readonly until: string } | undefined;
  return async () => {
    const known = last;
    const [read] = await queryWithDeadline(
      sql<Read>`select pg_current_snapshot()::text as snapshot, ${NOW} as at,
        case when pg_current_snapshot()::text = ${known?.snapshot ?? ""}::text
          and now() <= ${known?.until ?? "-infinity"}::timestamptz then null
        else (select row_to_json(n) from (${NUMBERS}) as n) end as numbers`,
    );
    const { snapshot, at, numbers } = read as Read;
    if (!numbers && known) return { ...known.numbers, at };
    const { holds_until: until, ...fresh } = numbers as NonNullable<Read["numbers"]>;
    last = { snapshot, numbers: { ...fresh, at }, until: until ?? "infinity" };
    return last.numbers;
  };
}

/**
 * Counts what requires reading all hosts; an active host without contact for `staleMinutes` is stale. May take longer than a
 * poll, so it runs in a transaction with its own limit.
 */
export function readDetails(db: Db, staleMinutes: number): Promise<FleetDetails> {
  return db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(DETAILS_TIMEOUT_MS)}`.execute(tx);
    const [details] = await rows(
      tx,
      sql<FleetDetails>`select count(distinct package_id) as unique_outdated,
          count(distinct package_id) filter (where security) as unique_security,
          (select count(*) from hosts where status = 'active'
            and last_seen_at < now() - make_interval(mins => ${staleMinutes}::integer)) as stale,
          ${NOW} as at
        from host_outdated join hosts on hosts.id = host_outdated.host_id where hosts.status = 'active'`,
    );
    return details as FleetDetails;
  });
}

/** Caches the result of `read` for `ms` milliseconds; callers during a read wait for its result. */
export function cacheFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let until = 0;
  let value: Promise<T> | undefined;
  return () => {
    if (value && Date.now() < until) return value;
    until = Number.POSITIVE_INFINITY;
    const started = Date.now();
    value = read();
    value.then(
      () => {
        until = started + ms;
      },
      () => {
        until = 0;
      },
    );
    return value;
  };
}
