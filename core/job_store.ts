/**
 * The tables of jobs and schedules, and the statements of the job queue over them. Several processes share the tables: a job
 * is claimed under a lock that others skip, and a lease ends where its process does. When a statement runs, and with what
 * pauses and leases, is decided by the queue.
 */
import { type Generated, type GeneratedAlways, type RawBuilder, sql } from "kysely";
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
  /** Whose jobs run a few at a time, so that none keeps the others waiting; "" for none. */
  group_key: Generated<string>;
  /** Of jobs with the same name, group and order one runs after the other; null for none. */
  order_key: string | null;
  /** How long a try may take, where its handler's lease does not hold for it. */
  lease_ms: number | null;
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

/** The channel of notifications about jobs: of a new one with its name, and of a look with the id of the process that looked. */
export const CHANNEL = "lectern_jobs";

/** What a notification says; those of versions that sent no text say nothing. */
export interface JobNotice {
  readonly job?: string;
  /** Milliseconds until the job is due. */
  readonly ms?: number;
  /** The process that looked. */
  readonly look?: string;
}

/** A job to be stored. */
export interface NewJob {
  readonly name: string;
  /** JSON. */
  readonly payload: string;
  readonly key: string | null;
  readonly delayMs: number;
  readonly group: string;
  readonly order: string | null;
  readonly leaseMs: number | null;
}

/**
 * SQL: tells all processes of a job with this name, at the commit; for statements that write jobs themselves.
 * @example
 * await sql`select ${jobNotice("note_send")}`.execute(db);
 */
export function jobNotice(name: string, delayMs = 0) {
  return sql<string>`pg_notify(${sql.lit(CHANNEL)}, json_build_object('job', ${name}::text, 'ms', ${delayMs}::bigint)::text)::text`;
}

/** Stores a job, unless one with its name and key waits, and tells the queues of all processes at the commit. */
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
          group_key: p.group,
          order_key: p.order,
          lease_ms: p.leaseMs,
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .selectNoFrom(jobNotice(p.name, p.delayMs).as("notified")),
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

const NOW = sql<string>`now()`;

/** SQL: so many milliseconds from now. */
export function leasedFor(ms: RawBuilder<unknown>) {
  return sql<string>`now() + ${ms} * interval '1 millisecond'`;
}

/** Removes jobs that are done. */
export const removeJobs = prepared("jobs.remove", (db, p: { ids: readonly number[] }) =>
  db.deleteFrom("jobs").where("id", "=", sql<number>`any(${p.ids}::integer[])`),
);

/** Removes jobs that are done; those that are next in their orders become due. */
export const removeOrdered = prepared("jobs.removeOrdered", (db, p: { ids: readonly number[] }) =>
  db
    .with("gone", (cte) =>
      cte
        .deleteFrom("jobs")
        .where("id", "=", sql<number>`any(${p.ids}::integer[])`)
        .returning(["name", "group_key", "order_key"]),
    )
    .with("next", (cte) =>
      cte
        .selectFrom("gone")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("jobs as behind")
              .select("behind.id")
              .whereRef("behind.name", "=", "gone.name")
              .whereRef("behind.group_key", "=", "gone.group_key")
              .whereRef("behind.order_key", "=", "gone.order_key")
              .where(({ not, ref }) => not(ref("behind.dead")))
              .where("behind.id", "!=", sql<number>`all(${p.ids}::integer[])`)
              .orderBy("behind.id")
              .limit(sql.lit(1))
              .as("first"),
          (join) => join.onTrue(),
        )
        .select("first.id"),
    )
    .updateTable("jobs")
    .from("next")
    .set({ run_at: NOW })
    .whereRef("jobs.id", "=", "next.id")
    .where("jobs.run_at", ">", NOW),
);

/** A failed try of a job. */
interface FailedTry {
  readonly id: number;
  readonly dead: boolean;
  readonly error: string | null;
  readonly pauseMs: number;
  readonly name: string;
  readonly group: string;
  readonly order: string | null;
}

/** Records a failed try: the job waits for its next one, with those behind it in its order, or is dead. */
export const failJob = prepared("jobs.fail", (db, p: FailedTry) => {
  const next = leasedFor(sql`${p.pauseMs}::bigint`);
  return db
    .with("behind", (cte) =>
      cte
        .updateTable("jobs")
        .set({ run_at: next })
        .where("name", "=", p.name)
        .where("group_key", "=", p.group)
        .where("order_key", "=", p.order)
        .where(({ not, ref }) => not(ref("dead")))
        .where("id", ">", p.id),
    )
    .updateTable("jobs")
    .set({ dead: p.dead, last_error: p.error, leased_until: null, run_at: next })
    .where("id", "=", p.id);
});

/**
 * When something is due, in milliseconds from now: jobs of these names, or the end of the lease of one that runs, and schedules. A
 * process that hears the notification of its own look hears those of others too.
 */
export const look = prepared(
  "jobs.look",
  (db, p: { names: readonly string[]; schedules: readonly string[]; own: string }) =>
    db
      .selectFrom("jobs")
      .select(["name", sql<boolean>`false`.as("is_schedule")])
      .select(
        sql<number>`(extract(epoch from min(greatest(run_at, leased_until)) - clock_timestamp()) * 1000)::float8`.as(
          "ms",
        ),
      )
      .where("name", "=", sql<string>`any(${p.names}::text[])`)
      .where(({ not, ref }) => not(ref("dead")))
      .groupBy("name")
      .unionAll((eb) =>
        eb
          .selectFrom("schedules")
          .select(["name", sql<boolean>`true`.as("is_schedule"), msUntilDue.as("ms")])
          .where("name", "=", sql<string>`any(${p.schedules}::text[])`),
      )
      .unionAll(
        db.selectNoFrom([
          sql<string>`pg_notify(${sql.lit(CHANNEL)}, json_build_object('look', ${p.own}::text)::text)::text`.as("name"),
          sql<boolean>`true`.as("is_schedule"),
          sql<number>`0::float8`.as("ms"),
        ]),
      ),
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
