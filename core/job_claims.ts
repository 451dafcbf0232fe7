/**
 * The statements that claim jobs for a process. A claim takes as many as places are free, under locks that others skip, and leases them:
 * those that are due first, or a few of each group. It reads the groups that have jobs, and of each so many due ones, however many wait
 * behind those; which groups may have how many is decided by the pool.
 */
import { type QueryCreator, type RawBuilder, sql } from "kysely";
import { prepared, type Tables } from "../db/mod.ts";
import { leasedFor } from "./job_store.ts";

const NOW = sql<string>`now()`;
/** Jobs of one group that are looked at for some that may run. */
const WINDOW = 200;

/** A job that this process has claimed. */
const CLAIMED = [
  "jobs.id",
  "jobs.name",
  "jobs.payload",
  "jobs.attempts",
  "jobs.group_key",
  "jobs.order_key",
  "jobs.lease_ms",
] as const;

/** Claims the jobs that are due first, at most `free`. `names` are those of the handlers, `leases` theirs in milliseconds. */
export const claimJobs = prepared(
  "jobs.claim",
  (db, p: { names: readonly string[]; leases: readonly number[]; free: number }) => {
    const handled = sql<{ name: string; lease_ms: number }>`unnest(${p.names}::text[], ${p.leases}::integer[])`;
    return db
      .with("due", (cte) =>
        cte
          .selectFrom("jobs")
          .innerJoin(handled.as<"handled">(sql`handled(name, lease_ms)`), "handled.name", "jobs.name")
          .select(["jobs.id", "handled.lease_ms"])
          .where(({ not, ref }) => not(ref("jobs.dead")))
          .where("jobs.run_at", "<=", NOW)
          .where(({ eb, or }) => or([eb("jobs.leased_until", "is", null), eb("jobs.leased_until", "<", NOW)]))
          .orderBy("jobs.run_at")
          .limit(sql<number>`${p.free}::integer`)
          .forUpdate("jobs")
          .skipLocked(),
      )
      .updateTable("jobs")
      .from("due")
      .set(({ ref }) => ({
        attempts: sql<number>`${ref("jobs.attempts")} + 1`,
        leased_until: leasedFor(sql`coalesce(${ref("jobs.lease_ms")}, ${ref("due.lease_ms")})`),
      }))
      .whereRef("jobs.id", "=", "due.id")
      .returning(CLAIMED);
  },
);

/** What may be claimed of the jobs of one name. */
export interface GroupClaim {
  readonly name: string;
  readonly leaseMs: number;
  /** Jobs that may be claimed in all. */
  readonly free: number;
  /** Groups, and how many jobs of each may be claimed; of other groups one each. */
  readonly groups: readonly string[];
  readonly frees: readonly number[];
  /** Of each of these groups: which share of the places it is limited to, 0 for none; those that come first have it first. */
  readonly shares: readonly number[];
  /** The jobs that may be claimed of each share: of the first one that of number 1. */
  readonly rooms: readonly number[];
}

/** Claims jobs of all groups, in random order, so that no group is always the last. */
export const claimOfAllGroups = prepared("jobs.claimOfAllGroups", (db, p: GroupClaim) =>
  claimOf(
    db,
    p,
    // A template: the builder has no word for a query within a table expression. It finds the groups by one step in the index each.
    sql<{ group_key: string }>`(with recursive step(group_key) as (
        (select group_key from jobs where name = ${p.name}::text and not dead order by group_key limit 1)
        union all
        select (select group_key from jobs where name = ${p.name}::text and not dead and group_key > step.group_key
          order by group_key limit 1) from step where step.group_key is not null)
      select group_key from step where group_key is not null)`,
  ),
);

/** Claims jobs of the given groups alone. */
export const claimOfGroups = prepared("jobs.claimOfGroups", (db, p: GroupClaim) =>
  claimOf(db, p, sql<{ group_key: string }>`(select group_key from unnest(${p.groups}::text[]) as given(group_key))`),
);

/** A job that waits for another try keeps those behind it in its order waiting; that another process has claimed is read again under the lock. */
function claimOf(db: QueryCreator<Tables>, p: GroupClaim, found: RawBuilder<{ group_key: string }>) {
  return (
    db
      .with("found", () => found)
      // A template: the builder has no word for a limit that is a column.
      .with(
        "due",
        () => sql<{ id: number }>`(select ranked.id from (select free_jobs.id, given.share,
            row_number() over (partition by given.share order by given.position) as nth from found
          left join unnest(${p.groups}::text[], ${p.frees}::integer[], ${p.shares}::integer[])
            with ordinality as given(group_key, free, share, position) on given.group_key = found.group_key
          cross join lateral (
            select near.id from (
              select id, order_key, run_at from jobs where name = ${p.name}::text and group_key = found.group_key and not dead
                and run_at <= now() and (leased_until is null or leased_until < now())
              order by run_at, id limit ${sql.lit(WINDOW)}) as near
            where near.order_key is null or not exists (
              select from jobs as ahead where ahead.name = ${p.name}::text and ahead.group_key = found.group_key
                and ahead.order_key = near.order_key and ahead.id < near.id and not ahead.dead)
            order by near.run_at, near.id limit coalesce(given.free, 1)) as free_jobs) as ranked
          where coalesce(ranked.share, 0) = 0 or ranked.nth <= (${p.rooms}::integer[])[ranked.share]
          order by random() limit ${p.free}::integer)`,
      )
      .with("locked", (cte) =>
        cte
          .selectFrom("jobs")
          .innerJoin("due", "due.id", "jobs.id")
          .select("jobs.id")
          .where(({ not, ref }) => not(ref("jobs.dead")))
          .where("jobs.run_at", "<=", NOW)
          .where(({ eb, or }) => or([eb("jobs.leased_until", "is", null), eb("jobs.leased_until", "<", NOW)]))
          .forUpdate("jobs")
          .skipLocked(),
      )
      .updateTable("jobs")
      .from("locked")
      .set(({ ref }) => ({
        attempts: sql<number>`${ref("jobs.attempts")} + 1`,
        leased_until: leasedFor(sql`coalesce(${ref("jobs.lease_ms")}, ${p.leaseMs}::integer)`),
      }))
      .whereRef("jobs.id", "=", "locked.id")
      .returning(CLAIMED)
  );
}
