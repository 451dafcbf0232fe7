/**
 * Recounts all counters from their rows, in one snapshot, and lists differences (dashboard-stats 9.5). No difference is ever
 * expected: one means that a trigger was disabled or a row restored without it, which is logged as an error before it is
 * repaired. The repair locks writers out for as long as counting takes.
 */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Expression, QueryCreator } from "kysely";
import { sql } from "lectern/core";
import type { Db, Tables } from "lectern/db";
import { binOf, COUNTS_KEPT, HOST_SHARDS, MEASURES, REPORT_SHARDS, WIDTHS, WINDOW } from "./counters.ts";

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

type Counting = QueryCreator<Tables>;

const totals = (db: Counting) =>
  db
    .selectFrom("hosts")
    .select(({ fn, ref }) => [
      "status",
      "os_name",
      "os_version",
      sql<number>`(${ref("id")} % ${sql.lit(HOST_SHARDS)})::smallint`.as("shard"),
      fn.countAll<number>().as("hosts"),
      fn.countAll<number>().filterWhere("n_outdated", ">", 0).as("needing"),
      fn.countAll<number>().filterWhere("n_security", ">", 0).as("at_risk"),
      sql<number>`${fn.sum("n_outdated")}::bigint`.as("outdated"),
      sql<number>`${fn.sum("n_security")}::bigint`.as("security"),
      fn.countAll<number>().filterWhere("needs_reboot", "=", true).as("rebooting"),
    ])
    .groupBy(["status", "os_name", "os_version", "shard"]);

const packages = (db: Counting) =>
  db
    .selectFrom("host_outdated")
    .select(({ cast, fn }) => [
      "host_id as id",
      cast<number>(fn.countAll(), "integer").as("n_outdated"),
      cast<number>(fn.countAll().filterWhere("security", "=", true), "integer").as("n_security"),
    ])
    .groupBy("host_id");

const reports = (db: Counting) =>
  db
    .selectFrom([
      "host_reports",
      sql<{ seconds: number }>`(values ${sql.raw(WIDTHS.map((seconds) => `(${seconds})`).join(", "))})`.as<"w">(
        sql`w (seconds)`,
      ),
    ])
    .select(({ fn, ref }) => [
      sql<number>`${ref("w.seconds")}::smallint`.as("seconds"),
      sql<string>`${sql.raw(binOf("received_at", "w.seconds"))}`.as("starts_at"),
      sql<number>`(${ref("host_id")} % ${sql.lit(REPORT_SHARDS)})::smallint`.as("shard"),
      fn.countAll<number>().as("n"),
    ])
    .where("received_at", ">", sql<string>`now() - interval ${sql.lit(COUNTS_KEPT)}`)
    .groupBy(["w.seconds", "starts_at", "shard"]);

const WINDOW_START = sql<string>`date_trunc('hour', now() - interval ${sql.lit(WINDOW)}, 'UTC')`;

/** The values as the text of an array: "{1,2}". */
const listed = (values: readonly Expression<number>[]) => sql<string>`array[${sql.join(values)}]::text`;

const differingTotals = (db: Counting) =>
  db
    .selectFrom("host_totals as t")
    .fullJoin(totals(db).as("c"), (join) =>
      join
        .onRef("c.status", "=", "t.status")
        .onRef("c.os_name", "=", "t.os_name")
        .onRef("c.os_version", "=", "t.os_version")
        .onRef("c.shard", "=", "t.shard"),
    )
    .select(({ fn, lit }) => [
      sql<string>`concat_ws(', ', 'host_totals ' || ${fn.coalesce("t.status", "c.status")},
        ${fn.coalesce("t.os_name", "c.os_name")}, ${fn.coalesce("t.os_version", "c.os_version")},
        'shard ' || ${fn.coalesce("t.shard", "c.shard")})`.as("counter"),
      listed(MEASURES.map((name) => fn.coalesce(`t.${name}`, lit(0)))).as("stored"),
      listed(MEASURES.map((name) => fn.coalesce(`c.${name}`, lit(0)))).as("counted"),
    ])
    .where((eb) =>
      eb.or(
        MEASURES.map((name) =>
          eb(eb.fn.coalesce(`t.${name}`, eb.lit(0)), "<>", eb.fn.coalesce(`c.${name}`, eb.lit(0))),
        ),
      ),
    );

const differingHosts = (db: Counting) =>
  db
    .selectFrom("hosts")
    .leftJoin(packages(db).as("c"), "c.id", "hosts.id")
    .select(({ fn, lit, ref }) => [
      sql<string>`'packages of host ' || ${ref("hosts.id")}`.as("counter"),
      listed([ref("hosts.n_outdated"), ref("hosts.n_security")]).as("stored"),
      listed([fn.coalesce("c.n_outdated", lit(0)), fn.coalesce("c.n_security", lit(0))]).as("counted"),
    ])
    .where((eb) =>
      eb.or([
        eb("hosts.n_outdated", "<>", eb.fn.coalesce("c.n_outdated", eb.lit(0))),
        eb("hosts.n_security", "<>", eb.fn.coalesce("c.n_security", eb.lit(0))),
      ]),
    );

const differingRepositories = (db: Counting) =>
  db
    .selectFrom("repositories as r")
    .leftJoin(
      (eb) =>
        eb
          .selectFrom("host_repositories")
          .select(({ fn }) => ["repository_id as id", fn.countAll<number>().as("n")])
          .groupBy("repository_id")
          .as("c"),
      (join) => join.onRef("c.id", "=", "r.id"),
    )
    .select(({ cast, fn, lit, ref }) => [
      sql<string>`'hosts of repository ' || ${ref("r.id")}`.as("counter"),
      cast<string>("r.n_hosts", "text").as("stored"),
      cast<string>(fn.coalesce("c.n", lit(0)), "text").as("counted"),
    ])
    .where((eb) => eb("r.n_hosts", "<>", eb.fn.coalesce("c.n", eb.lit(0))));

const differingReports = (db: Counting) =>
  db
    .selectFrom(db.selectFrom("report_counts").selectAll().where("starts_at", ">=", WINDOW_START).as("t"))
    .fullJoin(
      db.selectFrom(reports(db).as("c")).selectAll("c").where("c.starts_at", ">=", WINDOW_START).as("c"),
      (join) =>
        join
          .onRef("c.seconds", "=", "t.seconds")
          .onRef("c.starts_at", "=", "t.starts_at")
          .onRef("c.shard", "=", "t.shard"),
    )
    .select(({ cast, fn, lit }) => [
      sql<string>`'reports of ' || ${fn.coalesce("t.seconds", "c.seconds")} || ' s from '
        || ${fn.coalesce("t.starts_at", "c.starts_at")} || ', shard ' || ${fn.coalesce("t.shard", "c.shard")}`.as(
        "counter",
      ),
      cast<string>(fn.coalesce("t.n", lit(0)), "text").as("stored"),
      cast<string>(fn.coalesce("c.n", lit(0)), "text").as("counted"),
    ])
    .where((eb) => eb(eb.fn.coalesce("t.n", eb.lit(0)), "<>", eb.fn.coalesce("c.n", eb.lit(0))));

const CHECKS = [differingTotals, differingHosts, differingRepositories, differingReports] as const;

/** Recounts everything in one snapshot; `inventories` also decompresses the inventory of each host. */
export function recount(db: Db, { inventories = false } = {}): Promise<Difference[]> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (tx) => {
      const found: Difference[] = [];
      for (const check of CHECKS) found.push(...(await check(tx).execute()));
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
    // Kysely has no word for `lock table`.
    await sql`lock table hosts, host_repositories, host_outdated, host_reports in exclusive mode`.execute(tx);
    await tx
      .updateTable("hosts")
      .from("hosts as h")
      .leftJoin(packages(tx).as("c"), "c.id", "h.id")
      .set(({ fn, lit }) => ({
        n_outdated: fn.coalesce("c.n_outdated", lit(0)),
        n_security: fn.coalesce("c.n_security", lit(0)),
        packages_hash: null,
      }))
      .whereRef("h.id", "=", "hosts.id")
      .where((eb) =>
        eb.or([
          eb("hosts.n_outdated", "<>", eb.fn.coalesce("c.n_outdated", eb.lit(0))),
          eb("hosts.n_security", "<>", eb.fn.coalesce("c.n_security", eb.lit(0))),
        ]),
      )
      .execute();
    const selected = sql<number>`any(${hostIds}::integer[])`;
    await tx.updateTable("hosts").set({ packages_hash: null }).where("id", "=", selected).execute();
    await tx.deleteFrom("host_totals").execute();
    await tx
      .insertInto("host_totals")
      .columns(["status", "os_name", "os_version", "shard", ...MEASURES])
      .expression(totals(tx))
      .execute();
    await tx
      .updateTable("repositories")
      .from((eb) =>
        eb
          .selectFrom("repositories as r")
          .select(({ fn, selectFrom }) => [
            "r.id",
            selectFrom("host_repositories as h")
              .select(fn.countAll<number>().as("n"))
              .whereRef("h.repository_id", "=", "r.id")
              .$asScalar()
              .$notNull()
              .as("n"),
          ])
          .as("c"),
      )
      .set(({ ref }) => ({ n_hosts: ref("c.n") }))
      .whereRef("c.id", "=", "repositories.id")
      .whereRef("repositories.n_hosts", "<>", "c.n")
      .execute();
    await tx.deleteFrom("report_counts").execute();
    await tx
      .insertInto("report_counts")
      .columns(["seconds", "starts_at", "shard", "n"])
      .expression(reports(tx))
      .execute();
  });
}

async function recountInventories(db: Db): Promise<Difference[]> {
  const found: Difference[] = [];
  for (let after = 0; ; ) {
    const hosts = await db
      .selectFrom("hosts")
      .leftJoin("host_inventory as i", "i.host_id", "hosts.id")
      .select(({ ref }) => [
        "hosts.id",
        listed([ref("hosts.n_packages"), ref("hosts.n_outdated"), ref("hosts.n_security")]).as("stored"),
        "i.packages",
      ])
      .where("hosts.id", ">", after)
      .where((eb) => eb.or([eb("hosts.n_packages", ">", 0), eb("i.packages", "is not", null)]))
      .orderBy("hosts.id")
      .limit(BATCH)
      .execute();
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
