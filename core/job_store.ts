/**
 * The tables of jobs and schedules, and the statements of the job queue over them. A claimed job is leased, so that another
 * process runs it again after a crash; each statement is one round trip, and none of them runs a job.
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

/** Stores a job, unless one with its name and key waits. */
export const insertJob = prepared("jobs.insert", (db, p: NewJob) =>
  db
    .insertInto("jobs")
    .values({
      name: p.name,
      payload: sql`${p.payload}::text::jsonb`,
      key: p.key,
      run_at: sql<string>`now() + ${p.delayMs} * interval '1 millisecond'`,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Wakes the queues of all processes, at the commit of a transaction. */
export const notifyQueues = prepared("jobs.notify", (db) =>
  db.selectNoFrom(sql`pg_notify(${sql.lit(CHANNEL)}, '')`.as("notified")),
);

/** Moves a schedule on if it is due. */
export const takeSchedule = prepared("jobs.takeSchedule", (db, p: { name: string; everyMs: number }) =>
  db
    .updateTable("schedules")
    .set({ next_at: sql<string>`now() + ${p.everyMs}::bigint * interval '1 millisecond'` })
    .where("name", "=", p.name)
    .where("next_at", "<=", sql<string>`now()`)
    .returning("name"),
);

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

/** Adds a schedule, unless it is known. */
export const insertSchedule = prepared("jobs.insertSchedule", (db, p: { name: string; everyMs: number }) =>
  db
    .insertInto("schedules")
    .values({ name: p.name, next_at: sql<string>`now() + ${p.everyMs}::bigint * interval '1 millisecond'` })
    .onConflict((conflict) => conflict.doNothing()),
);
