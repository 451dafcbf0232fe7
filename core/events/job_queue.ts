/**
 * Jobs and schedules as rows, so that a crash loses none. A job is written in the transaction of its action, claimed by any
 * process with `for update skip locked`, leased while it runs, retried with growing pauses, and kept as dead after its last
 * try. It may run twice (a crash before its deletion), so handlers are idempotent.
 */
import { type Selectable, sql } from "kysely";
import { type Db, type Migrations, type Store, withSlowPool } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { CHANNEL, claimJob, failJob, insertJob, type JobsTable, removeJob } from "../job_store.ts";
import { type Log, logRetried } from "../log.ts";
import { withinTime } from "../std/within_time.ts";
import { Tracing } from "../tracing.ts";
import type { EnqueueOptions } from "./event_bus.ts";
import { JobFailure, type JobOptions, jobOptions, pauseAfter } from "./job_retry.ts";
import { type ScheduleOptions, Schedules } from "./schedules.ts";
import { withWorkLimit } from "./work_limit.ts";

/** One try of a job. */
export interface JobRun {
  readonly id: number;
  /** 1 for the first try. */
  readonly attempt: number;
}

type Handler = (payload: unknown, run: JobRun) => Promise<void>;
type ClaimedJob = Pick<Selectable<JobsTable>, "id" | "name" | "payload" | "attempts">;

const POLL_MS = 5_000;
const CONCURRENCY = 4;
/** Characters of an error that are stored. */
const MAX_ERROR = 2_000;

/** The tables of jobs and schedules. */
export const jobMigrations: Migrations = {
  async "0001_jobs"(db) {
    await sql`create table jobs (
      id integer generated always as identity primary key,
      name text not null, payload jsonb not null, key text,
      run_at timestamptz not null default now(), leased_until timestamptz,
      attempts integer not null default 0, dead boolean not null default false, last_error text,
      created_at timestamptz not null default now())`.execute(db);
    await sql`create index jobs_due on jobs (run_at) where not dead`.execute(db);
    await sql`create unique index jobs_key on jobs (name, key) where key is not null and not dead and attempts = 0`.execute(
      db,
    );
    await sql`create table schedules (name text primary key, next_at timestamptz not null)`.execute(db);
  },
};

/** The job queue of one runtime. */
export class JobQueue {
  readonly #store: Store;
  readonly #log: Log;
  readonly #statementMs: number;
  readonly #handlers = new Map<string, { run: Handler; options: Required<JobOptions>; plugin: string }>();
  readonly #schedules: Schedules;
  readonly #tracing: Tracing;
  readonly #running = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  #open = false;

  /** `statementMs` limits each statement of a job or schedule. */
  constructor(store: Store, log: Log, statementMs: number, tracing: Tracing = new Tracing()) {
    this.#store = store;
    this.#log = log;
    this.#tracing = tracing;
    this.#statementMs = statementMs;
    this.#schedules = new Schedules(store, log, statementMs);
  }

  /** Registers the one handler of a job name. Throws BootError for a second one, and for options that no job can have. */
  handle(name: string, run: Handler, options: JobOptions = {}, plugin = ""): void {
    const other = this.#handlers.get(name);
    if (other) throw new BootError(`Cannot handle the job "${name}" twice: by "${other.plugin}" and by "${plugin}"`);
    this.#handlers.set(name, { run, options: jobOptions(name, options), plugin });
  }

  /** Whether it claims jobs: from the start until the stop. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** The plugin that handles a job; undefined where none does. */
  pluginOf(name: string): string | undefined {
    return this.#handlers.get(name)?.plugin;
  }

  /** The names of the jobs that have a handler. */
  names(): string[] {
    return [...this.#handlers.keys()];
  }

  /** The names of the schedules, such as "notes:sweep". */
  scheduleNames(): string[] {
    return this.#schedules.names();
  }

  /** Registers work of a plugin that one process at a time does every `everyMs` milliseconds. */
  schedule(
    plugin: string,
    name: string,
    everyMs: number,
    run: () => Promise<void>,
    options: ScheduleOptions = {},
  ): void {
    const whole = `${plugin}:${name}`;
    const span = { name: `schedule ${whole}`, kind: "internal", parent: "none" } as const;
    this.#schedules.add({ ...options, name: whole, plugin, everyMs, run: () => this.#tracing.run(span, run) });
  }

  /** Writes a job over `db`: the store, or an open transaction. */
  async enqueue(db: Db, name: string, payload: unknown, options: EnqueueOptions = {}): Promise<void> {
    if (!this.#handlers.has(name)) throw new Error(`Cannot enqueue "${name}": no plugin handles this job`);
    const { key = null, delayMs = 0 } = options;
    await insertJob.write(db, { name, payload: JSON.stringify(payload), key, delayMs });
  }

  /** Starts to claim jobs: at each notification, and every few seconds for delayed jobs and those of crashed processes. */
  async start(): Promise<void> {
    this.#open = true;
    await this.#schedules.start();
    const wake = () => this.#wake();
    this.#stopListening = await this.#store.listen(CHANNEL, { onNotify: wake, onReturn: wake });
    this.#wake();
  }

  /** Claims no more jobs and waits for those that run. */
  async stop(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    const schedules = this.#schedules.stop();
    await this.#stopListening?.();
    await Promise.allSettled([...this.#running, schedules]);
  }

  /** Works until no job is due and no schedule runs; for commands and tests. */
  async drain(): Promise<void> {
    const running = () => [...this.#running, ...this.#schedules.running];
    while ((await this.#runOne()) || running().length > 0) await Promise.allSettled(running());
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (!this.#open) return;
    this.#timer = setTimeout(() => this.#wake(), POLL_MS);
    while (this.#running.size < CONCURRENCY) this.#track(this.#worker());
  }

  #track(run: Promise<void>): void {
    const tracked = run.catch((error: unknown) => logRetried(this.#log, "Cannot work on jobs", { error }));
    this.#running.add(tracked);
    void tracked.finally(() => this.#running.delete(tracked));
  }

  async #worker(): Promise<void> {
    while (this.#open && (await this.#runOne()));
  }

  /** Runs work of at most `limitMs` milliseconds in the slow pool, where it takes turns with users. */
  #onSlowPool(limitMs: number, run: () => Promise<void>): Promise<void> {
    return withWorkLimit(limitMs, () => withSlowPool({ key: "jobs", limitMs: this.#statementMs }, run));
  }

  async #runOne(): Promise<boolean> {
    const job = await this.#claim();
    if (!job) return false;
    const { run, options } = this.#handlers.get(job.name) as { run: Handler; options: Required<JobOptions> };
    const { leaseMs } = options;
    const attributes = { "lectern.job": job.name, "lectern.job.id": job.id, "lectern.job.attempt": job.attempts };
    const span = { name: `job ${job.name}`, kind: "consumer", parent: "none", attributes } as const;
    const work = async () => {
      await this.#tracing.run(span, () =>
        this.#onSlowPool(leaseMs, () => run(job.payload, { id: job.id, attempt: job.attempts })),
      );
      await removeJob.execute(this.#store.db, { id: job.id });
    };
    try {
      // Past its lease it may be claimed again. A worker that waited longer would be lost to all other jobs if it never ends.
      await withinTime(leaseMs, work, `It did not end within its lease of ${leaseMs} ms (leaseMs)`);
    } catch (error) {
      await this.#failed(job, options, error);
    }
    return true;
  }

  async #claim(): Promise<ClaimedJob | undefined> {
    if (this.#handlers.size === 0) return undefined;
    const leases = [...this.#handlers.values()].map(({ options }) => options.leaseMs);
    return claimJob.executeTakeFirst(this.#store.db, { names: [...this.#handlers.keys()], leases });
  }

  async #failed(job: ClaimedJob, options: Required<JobOptions>, error: unknown): Promise<void> {
    const dead = job.attempts >= options.tries || error instanceof JobFailure;
    // The time of a dead job is that of its last failure.
    const pauseMs = dead ? 0 : pauseAfter(options, job.attempts);
    // A message of a plugin's error may be any object.
    const text = String(error instanceof Error ? error.message : error);
    const facts = { job: job.id, plugin: this.pluginOf(job.name), attempt: job.attempts, dead, error };
    this.#log[dead ? "error" : "warn"](`Cannot do the job "${job.name}"`, facts);
    await failJob.execute(this.#store.db, { id: job.id, dead, error: text.slice(0, MAX_ERROR), pauseMs });
  }
}
