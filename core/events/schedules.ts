/**
 * Schedules: work at intervals, done by one process at a time. Each schedule has a timer of its own, so that a long run delays no
 * other, and starts again only after its run has ended. When it is due stands in its row, which all processes share; a run
 * holds a lease that is renewed while it lasts, so that no other process starts it, and one whose process died starts again
 * within half a minute. Due times follow each other at the interval and do not drift; those that a run or a pause missed are left out.
 */

import { sql } from "kysely";
import { type Migrations, type Store, withSlowPool } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { dueIn, endSchedule, insertSchedules, renewSchedule, takeSchedule } from "../job_store.ts";
import { type Log, logRetried } from "../log.ts";
import { DAY_MS, HOUR_MS } from "../std/time.ts";
import { withinTime } from "../std/within_time.ts";
import { withWorkLimit } from "./work_limit.ts";

/** The columns of leases. */
export const scheduleMigrations: Migrations = {
  async "0004_schedule_leases"(db) {
    await sql`alter table schedules add column leased_until timestamptz`.execute(db);
  },
};

/** When a schedule runs. */
export interface ScheduleOptions {
  /** Whether it runs for the first time at the start that stores it, instead of one interval later: false. */
  readonly isFirstAtOnce?: boolean;
}

/** Work at an interval. */
export interface Schedule extends ScheduleOptions {
  /** Unique: "notes:sweep". */
  readonly name: string;
  readonly plugin: string;
  readonly everyMs: number;
  readonly run: () => Promise<void>;
}

/** Timing of leases and waits, for tests. */
export interface ScheduleTiming {
  /** Milliseconds that a lease lasts; it is renewed three times as often. */
  readonly leaseMs: number;
  /** The longest time in milliseconds until a schedule looks again whether it is due: what others change is told by `isDueIn`. */
  readonly longestWaitMs: number;
  /** The longest time in milliseconds of one run. */
  readonly runMaxMs: number;
}

/**
 * Milliseconds that one run may last. One that lasts longer, such as a run that waits for what never comes, is given up, so that
 * the log names it and a server starts the next one.
 */
const RUN_MAX_MS = 6 * HOUR_MS;
/** Milliseconds until a schedule whose row could not be read looks again. */
const RETRY_MS = 5_000;

const TIMING: ScheduleTiming = { leaseMs: 30_000, longestWaitMs: DAY_MS, runMaxMs: RUN_MAX_MS };

/** The schedules of one runtime. */
export class Schedules {
  readonly #store: Store;
  readonly #log: Log;
  readonly #statementMs: number;
  readonly #timing: ScheduleTiming;
  readonly #schedules = new Map<string, Schedule>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #running = new Set<Promise<void>>();
  #open = false;

  /** `statementMs` limits each statement of a schedule. */
  constructor(store: Store, log: Log, statementMs: number, timing: ScheduleTiming = TIMING) {
    this.#store = store;
    this.#log = log;
    this.#statementMs = statementMs;
    this.#timing = timing;
  }

  /** The names of all schedules. */
  names(): string[] {
    return [...this.#schedules.keys()];
  }

  /** Adds a schedule. Throws BootError for a name that is taken, and an interval that is no whole number of milliseconds. */
  add(schedule: Schedule): void {
    const { name, plugin, everyMs } = schedule;
    if (this.#schedules.has(name)) throw new BootError(`The plugin "${plugin}" schedules "${name}" twice`);
    if (!Number.isInteger(everyMs) || everyMs < 1)
      throw new BootError(
        `The plugin "${plugin}" schedules "${name}" every ${everyMs} ms; wanted a whole number from 1`,
      );
    this.#schedules.set(name, schedule);
  }

  /** Checks and runs that have not ended. */
  get running(): readonly Promise<void>[] {
    return [...this.#running];
  }

  /** Stores new schedules and starts the timers. */
  async start(): Promise<void> {
    this.#open = true;
    const all = [...this.#schedules.values()];
    if (all.length === 0) return;
    const names = all.map(({ name }) => name);
    const stored = await insertSchedules.execute(this.#store.db, {
      names,
      intervals: all.map(({ everyMs }) => everyMs),
      delays: all.map(({ everyMs, isFirstAtOnce }) => (isFirstAtOnce ? 0 : everyMs)),
    });
    const due = new Map(stored.map(({ name, ms }) => [name, ms]));
    for (const schedule of all) this.#checkIn(schedule, due.get(schedule.name) ?? 0);
  }

  /** Starts no more runs and waits for those that run. */
  async stop(): Promise<void> {
    this.#open = false;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled(this.running);
  }

  /** A schedule was found to be due in so many milliseconds, which another process may have changed. */
  isDueIn(name: string, ms: number): void {
    const schedule = this.#schedules.get(name);
    const timer = this.#timers.get(name);
    // Without a timer it runs, or is asked for.
    if (!schedule || timer === undefined) return;
    clearTimeout(timer);
    this.#checkIn(schedule, Math.max(1, Math.ceil(ms)));
  }

  #check(schedule: Schedule): void {
    if (!this.#open) return;
    this.#timers.delete(schedule.name);
    const turn = this.#turn(schedule)
      .catch((error: unknown) => {
        const { plugin, name } = schedule;
        logRetried(this.#log, "Cannot read when a schedule is due", { plugin, schedule: name, error });
        return RETRY_MS;
      })
      .then((waitMs) => {
        this.#running.delete(turn);
        this.#checkIn(schedule, waitMs);
      });
    this.#running.add(turn);
  }

  /** Checks a schedule after a time; at once if that has passed. */
  #checkIn(schedule: Schedule, waitMs: number): void {
    if (!this.#open) return;
    if (waitMs <= 0) this.#check(schedule);
    else
      this.#timers.set(
        schedule.name,
        setTimeout(() => this.#check(schedule), Math.min(waitMs, this.#timing.longestWaitMs)),
      );
  }

  /** Runs a schedule if it is due. Returns the milliseconds until it is due next. */
  async #turn({ name, plugin, everyMs, run }: Schedule): Promise<number> {
    const { db } = this.#store;
    const { leaseMs, runMaxMs } = this.#timing;
    if (await takeSchedule.executeTakeFirst(db, { name, everyMs, leaseMs })) {
      const renewal = setInterval(() => {
        void renewSchedule.execute(db, { name, leaseMs }).catch((error: unknown) => {
          this.#log.warn("Cannot renew the lease of a schedule", { plugin, schedule: name, error });
        });
      }, leaseMs / 3);
      try {
        const work = () =>
          withWorkLimit(runMaxMs, () => withSlowPool({ key: "jobs", limitMs: this.#statementMs }, run));
        await withinTime(runMaxMs, work, `Its run did not end within ${runMaxMs} ms`);
      } catch (error) {
        this.#log.error("A schedule failed", { plugin, schedule: name, error });
      } finally {
        clearInterval(renewal);
        await endSchedule.execute(db, { name, everyMs });
      }
    }
    const due = await dueIn.executeTakeFirst(db, { name });
    // A timer may end a moment early.
    return Math.max(1, Math.ceil(due?.ms ?? everyMs));
  }
}
