/**
 * The tables of jobs and schedules, and the statements of the job queue over them. Several processes share the tables: a job
 * is claimed under a lock that others skip, and a lease ends where its process does. When a statement runs, and with what
 * pauses and leases, is decided by the queue.
 */
import { type Generated, type GeneratedAlways, sql } from "kysely";
import { prepared } from "../db/mod.ts";

/** Waiting and failed jobs. */
export interface JobsTable {
  id: GeneratedAlways<number>;
  name: string;
  payload: unknown;
  /** Of waiting jobs with the same name and key there is at most one. */
  key: string | null;
  run_at: Generated<string>;
  leased_until: string | null;
  attempts: Generated<number>;
  /** Whether all attempts failed. */
  dead: Generated<boolean>;
  last_error: string | null;
  created_at: Generated<string>;
}

/** When each schedule is due next. */
export interface SchedulesTable {
  name: string;
  next_at: string;
  /** Until when a process runs it. */
  leased_until: string | null;
}

declare module "../db/query/tables.ts" {
  interface Tables {
    jobs: JobsTable;
    schedules: SchedulesTable;
  }
}

/** The channel of notifications about new jobs. */
export const CHANNEL = "lectern_jobs";

/** A job to be stored. */
export interface NewJob {
  readonly name: string;
  /** JSON. */
  readonly payload: string;
  readonly key: string | null;
  readonly delayMs: number;
}

/** Stores a job, unless one with its name and key waits, and wakes the queues of all processes at the commit. */
export const insertJob = prepared("jobs.insert", (db, p: NewJob) =>
  db
    .with("stored", (cte) =>
      cte
        .insertInto("jobs")
        .values({
          name: p.name,
          payload: sql`${p.payload}::text::jsonb`,
          key: p.key,
          run_at: sql<string>`now() + ${p.delayMs} * interval '1 millisecond'`,
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .selectNoFrom(sql`pg_notify(${sql.lit(CHANNEL)}, '')`.as("notified")),
);

/** Claims a schedule that is due and moves it on: to the next time in its rhythm, or an interval from now if that is past. */
export const takeSchedule = prepared("jobs.takeSchedule", (db, p: { name: string; everyMs: number; leaseMs: number }) =>
  db
    .updateTable("schedules")
    .set({ next_at: nextTime(p.everyMs), leased_until: afterNow(p.leaseMs) })
    .where("name", "=", p.name)
    .where("next_at", "<=", sql<string>`now()`)
    .where(({ eb, or }) => or([eb("leased_until", "is", null), eb("leased_until", "<", sql<string>`now()`)]))
    .returning("name"),
);

/** Extends the lease of a schedule that runs. */
export const renewSchedule = prepared("jobs.renewSchedule", (db, p: { name: string; leaseMs: number }) =>
  db
    .updateTable("schedules")
    .set({ leased_until: afterNow(p.leaseMs) })
    .where("name", "=", p.name),
);

/** Ends the lease of a schedule whose run has ended; times that passed meanwhile are left out. */
export const endSchedule = prepared("jobs.endSchedule", (db, p: { name: string; everyMs: number }) =>
  db
    .updateTable("schedules")
    .set((eb) => ({
      leased_until: null,
      next_at: eb
        .case()
        .when("next_at", ">", sql<string>`now()`)
        .then(eb.ref("next_at"))
        .else(nextTime(p.everyMs))
        .end(),
    }))
    .where("name", "=", p.name),
);

/** SQL: milliseconds until a schedule is due and its lease has ended; negative if it is overdue. */
const msUntilDue = sql<number>`(extract(epoch from
  greatest(schedules.next_at, schedules.leased_until) - clock_timestamp()) * 1000)::float8`;

/** When a schedule is due. */
export const dueIn = prepared("jobs.dueIn", (db, p: { name: string }) =>
  db.selectFrom("schedules").select(msUntilDue.as("ms")).where("name", "=", p.name),
);

function afterNow(ms: number) {
  return sql<string>`now() + ${ms}::bigint * interval '1 millisecond'`;
}

/** The first time after now that is a whole number of intervals after `next_at`. */
function nextTime(everyMs: number) {
  return sql<string>`next_at + ${everyMs}::bigint * interval '1 millisecond'
    * (1 + greatest(0, floor(extract(epoch from now() - next_at) * 1000 / ${everyMs}::bigint)))::float8`;
}

/** Claims the job that is due first. `names` are those of the handlers, `leases` theirs in milliseconds. */
export const claimJob = prepared("jobs.claim", (db, p: { names: readonly string[]; leases: readonly number[] }) => {
  const handled = sql<{ name: string; lease_ms: number }>`unnest(${p.names}::text[], ${p.leases}::integer[])`;
  return db
    .with("due", (cte) =>
      cte
        .selectFrom("jobs")
        .innerJoin(handled.as<"handled">(sql`handled(name, lease_ms)`), "handled.name", "jobs.name")
        .select(["jobs.id", "handled.lease_ms"])
        .where(({ not, ref }) => not(ref("jobs.dead")))
        .where("jobs.run_at", "<=", sql<string>`now()`)
        .where(({ eb, or }) =>
          or([eb("jobs.leased_until", "is", null), eb("jobs.leased_until", "<", sql<string>`now()`)]),
        )
        .orderBy("jobs.run_at")
        .limit(sql.lit(1))
        .forUpdate("jobs")
        .skipLocked(),
    )
    .updateTable("jobs")
    .from("due")
    .set(({ ref }) => ({
      attempts: sql<number>`${ref("jobs.attempts")} + 1`,
      leased_until: sql<string>`now() + ${ref("due.lease_ms")} * interval '1 millisecond'`,
    }))
    .whereRef("jobs.id", "=", "due.id")
    .returning(["jobs.id", "jobs.name", "jobs.payload", "jobs.attempts"]);
});

/** Removes a job that is done. */
export const removeJob = prepared("jobs.remove", (db, p: { id: number }) =>
  db.deleteFrom("jobs").where("id", "=", p.id),
);

/** Records a failed try: the job waits for its next one, or is dead. */
export const failJob = prepared("jobs.fail", (db, p: { id: number; dead: boolean; error: string; pauseMs: number }) =>
  db
    .updateTable("jobs")
    .set({
      dead: p.dead,
      last_error: p.error,
      leased_until: null,
      run_at: sql<string>`now() + ${p.pauseMs}::bigint * interval '1 millisecond'`,
    })
    .where("id", "=", p.id),
);

/**
 * Adds schedules, and returns when each is due, in milliseconds from now as `dueIn` does; one that is known is due an interval from
 * now at the latest, as its interval may have become shorter. In the order of their names, since servers that start at once wait
 * for each other's rows.
 */
export const insertSchedules = prepared(
  "jobs.insertSchedules",
  (db, p: { names: readonly string[]; intervals: readonly number[]; delays: readonly number[] }) => {
    const added = (milliseconds: readonly number[]) =>
      sql<{ name: string; ms: number }>`unnest(${p.names}::text[], ${milliseconds}::bigint[])`.as<"added">(
        sql`added(name, ms)`,
      );
    const afterAdded = sql<string>`now() + added.ms * interval '1 millisecond'`;
    return db
      .insertInto("schedules")
      .columns(["name", "next_at"])
      .expression((eb) =>
        eb
          .selectFrom(added(p.delays))
          .select(["added.name", afterAdded.as("next_at")])
          .orderBy("added.name"),
      )
      .onConflict((conflict) =>
        conflict.column("name").doUpdateSet((eb) => ({
          next_at: eb.fn<string>("least", [
            "schedules.next_at",
            eb
              .selectFrom(added(p.intervals))
              .select(afterAdded.as("next_at"))
              .whereRef("added.name", "=", "excluded.name"),
          ]),
        })),
      )
      .returning(["name", msUntilDue.as("ms")]);
  },
);
