/**
 * The triggers that maintain the counters. A host counts in one row of `host_totals`, that of its status, system and shard, so
 * every counter equals a recount at every commit, also after statements written by hand. Shards reduce lock contention between
 * writers.
 *
 * To avoid deadlocks, locks are always taken in this order: host, repositories (by id), totals (by key), counts of
 * reports (by key). A deleted host's rows are deleted by cascade, and PostgreSQL runs triggers of a row in the order of their
 * names: the one on hosts begins with a capital C to run before its own "RI_…" triggers, which reach the counts of reports. Code that
 * deletes a host deletes its repositories first.
 */

/** Shards of the totals of hosts. */
export const HOST_SHARDS = 8;
/** Shards of the counts of reports. */
export const REPORT_SHARDS = 4;
/** How long a report counts as recent. */
export const WINDOW = "24 hours";
/** How long counts of reports are kept: slightly longer than they are read. */
export const COUNTS_KEPT = "26 hours";

/** Widths of the counts of reports in seconds, widest first. */
export const WIDTHS = [3600, 60, 10] as const;

/** SQL for the start of the interval of `seconds` that contains a time. */
export function binOf(moment: string, seconds: string | number): string {
  return `date_bin(make_interval(secs => ${seconds}), ${moment}, 'epoch')`;
}

/** The columns of the sums in `host_totals`. */
export const MEASURES = ["hosts", "needing", "at_risk", "outdated", "security", "rebooting"] as const;
const LISTED = MEASURES.join(", ");

/** SQL for what a host adds to the totals, or takes from them; `row` names a row of hosts. */
function part(row: string, sign: 1 | -1): string {
  const values = [
    "1",
    `(${row}.n_outdated > 0)::int`,
    `(${row}.n_security > 0)::int`,
    `${row}.n_outdated`,
    `${row}.n_security`,
    `${row}.needs_reboot::int`,
  ];
  const key = `${row}.status, ${row}.os_name, ${row}.os_version, ${row}.id % ${HOST_SHARDS}`;
  return `select ${key}, ${values.map((value) => `${sign} * (${value})`).join(", ")}`;
}

/** SQL that adds parts to the totals. Keys are sorted so that rows are locked in one order. */
function add(parts: string): string {
  const sums = MEASURES.map((name) => `sum(${name})`);
  const grown = MEASURES.map((name) => `${name} = t.${name} + excluded.${name}`);
  return `insert into host_totals as t (status, os_name, os_version, shard, ${LISTED})
    select status, os_name, os_version, shard, ${sums.join(", ")}
    from (${parts}) as parts (status, os_name, os_version, shard, ${LISTED})
    group by status, os_name, os_version, shard
    having ${sums.map((sum) => `${sum} <> 0`).join(" or ")}
    order by status collate "C", os_name collate "C", os_version collate "C", shard
    on conflict (status, os_name, os_version, shard) do update set ${grown.join(", ")};`;
}

const COUNTED = ["id", "status", "os_name", "os_version", "n_outdated", "n_security", "needs_reboot"];
const listed = (row: string) => COUNTED.map((column) => `${row}.${column}`).join(", ");

/** Counts hosts, their packages and their systems. */
export const countHosts = `
  create function hosts_count() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${add(part("new", 1))}
    elsif tg_op = 'DELETE' then ${add(part("old", -1))}
    else ${add(`${part("old", -1)} union all ${part("new", 1)}`)}
    end if;
    return null;
  end $$;
  create trigger "Count_new" after insert or delete on hosts for each row execute function hosts_count();
  create trigger "Count_changed" after update on hosts for each row
    when ((${listed("old")}) is distinct from (${listed("new")})) execute function hosts_count();
`;

/** Counts the hosts that use a repository. */
export const countRepositories = `
  create function host_repositories_count() returns trigger language plpgsql as $$
  begin
    perform 1 from repositories where id in (select repository_id from changed) order by id for no key update;
    update repositories set n_hosts = n_hosts + tg_argv[0]::int * n
      from (select repository_id, count(*) as n from changed group by repository_id) as c
      where repositories.id = c.repository_id;
    return null;
  end $$;
  create trigger count_new after insert on host_repositories referencing new table as changed
    for each statement execute function host_repositories_count('1');
  create trigger count_gone after delete on host_repositories referencing old table as changed
    for each statement execute function host_repositories_count('-1');
  create function host_repositories_move() returns trigger language plpgsql as $$
  begin
    raise exception 'rows of host_repositories are deleted and inserted, never moved';
  end $$;
  create trigger refuse_move before update of host_id, repository_id on host_repositories
    for each statement execute function host_repositories_move();
`;

const BUCKETS = `select w.seconds, ${binOf("c.received_at", "w.seconds")} as starts_at,
    c.host_id % ${REPORT_SHARDS} as shard, count(*) as n
    from changed as c, (values ${WIDTHS.map((seconds) => `(${seconds})`).join(", ")}) as w (seconds)
    where c.received_at > now() - interval '${COUNTS_KEPT}' group by 1, 2, 3`;

/** Counts reports by hour, minute and ten seconds; the narrow widths are for the hour in which the window starts. */
export const countReports = `
  create function host_reports_count_new() returns trigger language plpgsql as $$
  begin
    insert into report_counts as t (seconds, starts_at, shard, n) ${BUCKETS} order by 1, 2, 3
    on conflict (seconds, starts_at, shard) do update set n = t.n + excluded.n;
    return null;
  end $$;
  create function host_reports_count_gone() returns trigger language plpgsql as $$
  begin
    perform 1 from report_counts as t join (${BUCKETS}) as c using (seconds, starts_at, shard)
      order by seconds, starts_at, shard for update of t;
    update report_counts as t set n = t.n - c.n from (${BUCKETS}) as c
      where t.seconds = c.seconds and t.starts_at = c.starts_at and t.shard = c.shard;
    return null;
  end $$;
  create trigger count_new after insert on host_reports referencing new table as changed
    for each statement execute function host_reports_count_new();
  create trigger count_gone after delete on host_reports referencing old table as changed
    for each statement execute function host_reports_count_gone();
  create function host_reports_change() returns trigger language plpgsql as $$
  begin
    raise exception 'reports of hosts are inserted and deleted, never changed';
  end $$;
  create trigger refuse_change before update on host_reports for each statement execute function host_reports_change();
`;

/** Refuses `truncate`, which would bypass the row triggers. */
export const refuseTruncate = `
  create function hosts_refuse_truncate() returns trigger language plpgsql as $$
  begin
    raise exception 'truncate would bend the counters of "%": delete its rows', tg_table_name;
  end $$;
  ${["hosts", "host_outdated", "repositories", "host_repositories", "host_reports", "host_totals", "report_counts"]
    .map(
      (table) =>
        `create trigger refuse_truncate before truncate on ${table} for each statement execute function hosts_refuse_truncate();`,
    )
    .join("\n  ")}
`;
