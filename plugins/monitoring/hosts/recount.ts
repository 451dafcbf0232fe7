/**
 * Recounts all counters from their rows, in one snapshot, and lists differences (dashboard-stats 9.5). No difference is ever
 * expected: one means that a trigger was disabled or a row restored without it, which is logged as an error before it is
 * repaired. The repair locks writers out for as long as counting takes.
 */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type RawBuilder, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { binOf, COUNTS_KEPT, HOST_SHARDS, REPORT_SHARDS, WIDTHS, WINDOW } from "./counters.ts";

/** A counter that differs from its rows. */
export interface Difference {
  /** The counter, such as "host_totals active, Debian, 12, shard 3". */
  readonly counter: string;
  readonly stored: string;
  readonly counted: string;
  /** The host whose inventory differs, which only a new report of its packages can repair. */
  readonly inventoryOf?: number;
}

const unpack = promisify(gunzip);
/** Inventories read in one statement. */
const BATCH = 200;

const TOTALS = sql`select status, os_name, os_version, (id % ${sql.lit(HOST_SHARDS)})::smallint as shard,
    count(*) as hosts, count(*) filter (where n_outdated > 0) as needing, count(*) filter (where n_security > 0) as at_risk,
    sum(n_outdated)::bigint as outdated, sum(n_security)::bigint as security,
    count(*) filter (where needs_reboot) as rebooting
  from hosts group by 1, 2, 3, 4`;
const MEASURES = ["hosts", "needing", "at_risk", "outdated", "security", "rebooting"];
const SUMS = sql.raw(MEASURES.join(", "));
const summed = (row: "t" | "c") =>
  sql.raw(`array[${MEASURES.map((name) => `coalesce(${row}.${name}, 0)`).join(", ")}]`);
const PACKAGES = sql`select host_id as id, count(*)::integer as n_outdated,
    (count(*) filter (where security))::integer as n_security from host_outdated group by host_id`;
const REPORTS = sql`select w.seconds::smallint as seconds, ${sql.raw(binOf("received_at", "w.seconds"))} as starts_at,
    (host_id % ${sql.lit(REPORT_SHARDS)})::smallint as shard, count(*) as n
  from host_reports, (values ${sql.raw(WIDTHS.map((seconds) => `(${seconds})`).join(", "))}) as w (seconds)
  where received_at > now() - interval '${sql.raw(COUNTS_KEPT)}' group by 1, 2, 3`;
const IN_WINDOW = sql`starts_at >= date_trunc('hour', now() - interval '${sql.raw(WINDOW)}', 'UTC')`;

const CHECKS: readonly RawBuilder<Difference>[] = [
  sql`select concat_ws(', ', 'host_totals ' || status, os_name, os_version, 'shard ' || shard) as counter,
      ${summed("t")}::text as stored, ${summed("c")}::text as counted
    from host_totals as t full join (${TOTALS}) as c using (status, os_name, os_version, shard)
    where ${summed("t")} <> ${summed("c")}`,
  sql`select 'packages of host ' || hosts.id as counter,
      array[hosts.n_outdated, hosts.n_security]::text as stored,
      array[coalesce(c.n_outdated, 0), coalesce(c.n_security, 0)]::text as counted
    from hosts left join (${PACKAGES}) as c using (id)
    where (hosts.n_outdated, hosts.n_security) <> (coalesce(c.n_outdated, 0), coalesce(c.n_security, 0))`,
  sql`select 'hosts of repository ' || id as counter, n_hosts::text as stored, coalesce(c.n, 0)::text as counted
    from repositories
    left join (select repository_id as id, count(*) as n from host_repositories group by 1) as c using (id)
    where n_hosts <> coalesce(c.n, 0)`,
  sql`select 'reports of ' || seconds || ' s from ' || starts_at || ', shard ' || shard as counter,
      coalesce(t.n, 0)::text as stored, coalesce(c.n, 0)::text as counted
    from (select * from report_counts where ${IN_WINDOW}) as t
    full join (select * from (${REPORTS}) as c where ${IN_WINDOW}) as c using (seconds, starts_at, shard)
    where coalesce(t.n, 0) <> coalesce(c.n, 0)`,
];

/** Recounts everything in one snapshot; `inventories` also decompresses the inventory of each host. */
export function recount(db: Db, { inventories = false } = {}): Promise<Difference[]> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      const found: Difference[] = [];
      for (const check of CHECKS) found.push(...(await rows(tx, check)));
      return inventories ? [...found, ...(await recountInventories(tx))] : found;
    });
}

/**
 * Sets every counter to its recount, locking writers out meanwhile. Resets the packages hash of hosts whose packages were wrong,
 * and of those in `hostIds`, so that they report them again: with the old hash, the same report would change nothing, and lost
 * rows would look "fully patched" permanently.
 */
export function correctCounters(db: Db, hostIds: readonly number[] = []): Promise<void> {
  return db.transaction().execute(async (tx) => {
    // Every writer locks a host or its repositories first, so none can be halfway through once these locks are granted.
    await sql`lock table hosts, host_repositories, host_outdated, host_reports in exclusive mode`.execute(tx);
    await sql`update hosts set n_outdated = coalesce(c.n_outdated, 0), n_security = coalesce(c.n_security, 0),
        packages_hash = null
      from hosts as h left join (${PACKAGES}) as c using (id)
      where h.id = hosts.id
        and (hosts.n_outdated, hosts.n_security) <> (coalesce(c.n_outdated, 0), coalesce(c.n_security, 0))`.execute(tx);
    await sql`update hosts set packages_hash = null where id = any(${hostIds}::integer[])`.execute(tx);
    await sql`delete from host_totals`.execute(tx);
    await sql`insert into host_totals (status, os_name, os_version, shard, ${SUMS})
      select status, os_name, os_version, shard, ${SUMS} from (${TOTALS}) as c`.execute(tx);
    await sql`update repositories set n_hosts = c.n
      from (select id, (select count(*) from host_repositories as h where h.repository_id = r.id) as n
        from repositories as r) as c
      where c.id = repositories.id and n_hosts <> c.n`.execute(tx);
    await sql`delete from report_counts`.execute(tx);
    await sql`insert into report_counts (seconds, starts_at, shard, n) ${REPORTS}`.execute(tx);
  });
}

async function recountInventories(db: Db): Promise<Difference[]> {
  const found: Difference[] = [];
  for (let after = 0; ; ) {
    const hosts = await rows<{ id: number; stored: string; packages: Uint8Array | null }>(
      db,
      sql`select id, array[n_packages, n_outdated, n_security]::text as stored, packages
        from hosts left join host_inventory on host_inventory.host_id = hosts.id
        where id > ${after} and (n_packages > 0 or packages is not null) order by id limit ${BATCH}`,
    );
    for (const { id, stored, packages } of hosts) {
      const counted = packages ? await countInventory(packages) : "nothing";
      if (counted !== stored) found.push({ counter: `inventory of host ${id}`, stored, counted, inventoryOf: id });
    }
    const last = hosts.at(-1);
    if (!last) return found;
    after = last.id;
  }
}

/** The counts of an inventory, in the form of its counters; "unreadable" where it cannot be decompressed. */
async function countInventory(packages: Uint8Array): Promise<string> {
  try {
    const lines = JSON.parse(String(await unpack(packages))) as [string, string, string, string][];
    const having = (flag: string) => lines.filter(([, , , flags]) => flags.includes(flag)).length;
    return `{${lines.length},${having("o")},${having("s")}}`;
  } catch {
    return "unreadable";
  }
}
