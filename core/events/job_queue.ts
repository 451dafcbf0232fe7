/**
 * Jobs and schedules as rows, so that a crash loses none. A job is written in the transaction of its action, claimed by any
 * process with `for update skip locked`, leased while it runs, retried with growing pauses, and kept as dead after its last
 * try. It may run twice (a crash before its deletion), so handlers are idempotent.
 */
import { sql } from "kysely";
import { type Db, type Migrations, type Store, withSlowPool } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { claimJobs, claimOfAllGroups, claimOfGroups } from "../job_claims.ts";
import { CHANNEL, failJob, insertJob, type JobNotice, look } from "../job_store.ts";
import { type Log, logRetried } from "../log.ts";
import { MINUTE_MS } from "../std/time.ts";
import { withinTime } from "../std/within_time.ts";
import { Tracing } from "../tracing.ts";
import type { EnqueueOptions } from "./event_bus.ts";
import { type ClaimedJob, JobPool, type JobPoolOptions } from "./job_pool.ts";
import { JobRemovals } from "./job_removals.ts";
import {
  type FailedRun,
  type FullJobOptions,
  JobFailure,
  type JobOptions,
  jobOptions,
  pauseAfter,
} from "./job_retry.ts";
import { type ScheduleOptions, Schedules } from "./schedules.ts";
import { withWorkLimit } from "./work_limit.ts";

/** One try of a job. */
export interface JobRun {
  readonly id: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Milliseconds that it may take. */
  readonly leaseMs: number;
  /** Aborted a moment after the server began to stop, which waits for the job. */
  readonly signal: AbortSignal;
}

/** Does one try of a job. */
export type JobHandler<Payload = unknown> = (
  payload: Payload,
  run: JobRun,
) => Promise<void> | Promise<FailedRun | undefined>;

interface Handled {
  readonly run: JobHandler;
  readonly options: FullJobOptions;
  readonly plugin: string;
}

/** Between two looks where notifications arrive: for jobs of processes that died, and schedules that others changed. */
const LOOK_MS = MINUTE_MS;
/** Between two looks where none arrive. */
const POLL_MS = 5_000;
/** After jobs have run: what another process claimed meanwhile has a lease, whose end is worth knowing. */
const LOOK_AFTER_MS = 1_000;
/** Jobs that have no limit of their own run at a time. */
const CONCURRENCY = 4;
/** How long a stop waits for jobs before it aborts their signals. */
const GRACE_MS = 1_000;
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
  async "0012_job_turns"(db) {
    await sql`alter table jobs add column group_key text not null default '', add column order_key text,
      add column lease_ms integer`.execute(db);
    await sql`create index jobs_groups on jobs (name, group_key, run_at, id) where not dead`.execute(db);
    await sql`create index jobs_orders on jobs (name, group_key, order_key, id) where order_key is not null and not dead`.execute(
      db,
    );
  },
};

/** The job queue of one runtime. */
export class JobQueue {
  readonly #store: Store;
  readonly #log: Log;
  readonly #statementMs: number;
  readonly #handlers = new Map<string, Handled>();
  /** By the name of its jobs; that of jobs without a limit of their own under "". */
  readonly #pools = new Map<string, JobPool>();
  readonly #schedules: Schedules;
  readonly #tracing: Tracing;
  readonly #removals: JobRemovals;
  readonly #end = new AbortController();
  readonly #id = crypto.randomUUID();
  #looking: Promise<void> | undefined;
  #lookTimer: ReturnType<typeof setTimeout> | undefined;
  #lookAt = Number.POSITIVE_INFINITY;
  #isHeard = false;
  #stopListening: (() => Promise<void>) | undefined;
  #open = false;

  /** `statementMs` limits each statement of a job or schedule. */
  constructor(store: Store, log: Log, statementMs: number, tracing: Tracing = new Tracing()) {
    this.#store = store;
    this.#log = log;
    this.#tracing = tracing;
    this.#statementMs = statementMs;
    this.#schedules = new Schedules(store, log, statementMs);
    this.#removals = new JobRemovals(store);
  }

  /** Registers the one handler of a job name. Throws BootError for a second one, and for options that no job can have. */
  handle(name: string, run: JobHandler, options: JobOptions = {}, plugin = ""): void {
    const other = this.#handlers.get(name);
    if (other) throw new BootError(`Cannot handle the job "${name}" twice: by "${other.plugin}" and by "${plugin}"`);
    const handled = { run, options: jobOptions(name, options), plugin };
    this.#handlers.set(name, handled);
    const { limit } = handled.options;
    if (limit !== undefined) this.#pools.set(name, this.#poolOf(name, { ...handled.options, limit }));
    else if (!this.#pools.has("")) this.#pools.set("", this.#sharedPool());
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
    const handled = this.#handlers.get(name);
    if (!handled) throw new Error(`Cannot enqueue "${name}": no plugin handles this job`);
    const { key = null, delayMs = 0, group = "", order = null, leaseMs = null } = options;
    if (handled.options.limit === undefined && (group !== "" || order !== null))
      throw new Error(`Cannot enqueue "${name}" with a group or an order: its handler sets no "limit"`);
    const payloadText = JSON.stringify(payload);
    await insertJob.write(db, { name, payload: payloadText, key, delayMs, group, order, leaseMs });
  }

  /** Starts to claim jobs: at each notification, and when something is due by the look that is taken now and then. */
  async start(): Promise<void> {
    this.#open = true;
    for (const pool of this.#pools.values()) pool.open();
    await this.#schedules.start();
    this.#stopListening = await this.#store.listen(CHANNEL, {
      onNotify: (text) => this.#heard(text),
      onLoss: () => this.#lookIn(POLL_MS),
      onReturn: () => this.#lookIn(0),
    });
    for (const pool of this.#pools.values()) pool.dueIn(0);
    this.#lookIn(LOOK_AFTER_MS);
  }

  /** Claims no more jobs and waits for those that run, whose signals it aborts after a moment. */
  async stop(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#lookTimer);
    for (const pool of this.#pools.values()) pool.close();
    const abort = setTimeout(() => this.#end.abort(), GRACE_MS);
    const schedules = this.#schedules.stop();
    await this.#stopListening?.();
    await Promise.allSettled([...this.#running(), schedules, this.#looking]);
    clearTimeout(abort);
  }

  /** Works until no job is due and no schedule runs; for commands and tests. */
  async drain(): Promise<void> {
    const running = () => [...this.#running(), ...this.#schedules.running];
    for (;;) {
      const begun = await Promise.all([...this.#pools.values()].map((pool) => pool.turn()));
      if (begun.every((count) => count === 0) && running().length === 0) return;
      await Promise.allSettled(running());
    }
  }

  #running(): Promise<void>[] {
    return [...this.#pools.values()].flatMap((pool) => pool.running);
  }

  #heard(text: string): void {
    const { job, ms = 0, look: by }: JobNotice = text === "" ? {} : JSON.parse(text);
    if (by !== undefined) {
      if (by === this.#id) this.#isHeard = true;
    } else if (job === undefined) for (const pool of this.#pools.values()) pool.dueIn(0);
    else this.#pool(job)?.dueIn(ms);
  }

  #pool(job: string): JobPool | undefined {
    return this.#pools.get(job) ?? (this.#handlers.has(job) ? this.#pools.get("") : undefined);
  }

  #lookIn(ms: number): void {
    const at = performance.now() + ms;
    if (!this.#open || at >= this.#lookAt) return;
    clearTimeout(this.#lookTimer);
    this.#lookAt = at;
    this.#lookTimer = setTimeout(() => {
      this.#lookAt = Number.POSITIVE_INFINITY;
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, ms);
  }

  /** Asks what is due, and whether this process hears. */
  async #look(): Promise<void> {
    this.#isHeard = false;
    try {
      const names = [...this.#handlers.keys()];
      const found = await look.execute(this.#store.db, { names, schedules: this.scheduleNames(), own: this.#id });
      for (const { name, is_schedule, ms } of found)
        if (is_schedule) this.#schedules.isDueIn(name, ms);
        else this.#pool(name)?.dueIn(ms);
    } catch (error) {
      logRetried(this.#log, "Cannot work on jobs", { error });
    }
    this.#lookIn(LOOK_MS);
    // Without an answer by then there are no notifications, or none any more.
    setTimeout(() => this.#isHeard || this.#lookIn(0), POLL_MS).unref();
  }

  #sharedPool(): JobPool {
    const { db } = this.#store;
    return this.#madePool({ limit: CONCURRENCY, perGroup: CONCURRENCY }, ({ free }) => {
      const shared = [...this.#handlers].filter(([, { options }]) => options.limit === undefined);
      const names = shared.map(([name]) => name);
      const leases = shared.map(([, { options }]) => options.leaseMs);
      return claimJobs.execute(db, { names, leases, free });
    });
  }

  #poolOf(name: string, options: FullJobOptions & { readonly limit: number }): JobPool {
    const { db } = this.#store;
    return this.#madePool(options, ({ isOfAll, ...wanted }) =>
      (isOfAll ? claimOfAllGroups : claimOfGroups).execute(db, { name, leaseMs: options.leaseMs, ...wanted }),
    );
  }

  #madePool(sizes: Pick<JobPoolOptions, "limit" | "perGroup">, claim: JobPoolOptions["claim"]): JobPool {
    const run = (job: ClaimedJob) => this.#run(job);
    return new JobPool({ ...sizes, log: this.#log, claim, run, onShort: () => this.#lookIn(LOOK_AFTER_MS) });
  }

  /** Runs work of at most `limitMs` milliseconds in the slow pool, where it takes turns with users. */
  #onSlowPool<Result>(limitMs: number, run: () => Promise<Result>): Promise<Result> {
    return withWorkLimit(limitMs, () => withSlowPool({ key: "jobs", limitMs: this.#statementMs }, run));
  }

  async #run(job: ClaimedJob): Promise<boolean> {
    const { run, options } = this.#handlers.get(job.name) as Handled;
    const leaseMs = job.lease_ms ?? options.leaseMs;
    const attributes = { "lectern.job": job.name, "lectern.job.id": job.id, "lectern.job.attempt": job.attempts };
    const span = { name: `job ${job.name}`, kind: "consumer", parent: "none", attributes } as const;
    const given = { id: job.id, attempt: job.attempts, leaseMs, signal: this.#end.signal };
    const work = async () => {
      const failed = await this.#tracing.run(span, () =>
        this.#onSlowPool(leaseMs, async () => (await run(job.payload, given)) ?? undefined),
      );
      const { againMs } = failed ?? {};
      if (againMs === undefined) await this.#removals.remove(job);
      else await this.#again(job, { dead: false, error: null, pauseMs: againMs });
      return !failed;
    };
    try {
      // Past its lease it may be claimed again. A place that waited longer would be lost to all other jobs if it never ends.
      return await withinTime(leaseMs, work, `It did not end within its lease of ${leaseMs} ms (leaseMs)`);
    } catch (error) {
      await this.#failed(job, options, error);
      return false;
    }
  }

  async #failed(job: ClaimedJob, options: FullJobOptions, error: unknown): Promise<void> {
    const dead = job.attempts >= options.tries || error instanceof JobFailure;
    // The time of a dead job is that of its last failure.
    const pauseMs = dead ? 0 : pauseAfter(options, job.attempts);
    // A message of a plugin's error may be any object.
    const text = String(error instanceof Error ? error.message : error);
    const facts = { job: job.id, plugin: this.pluginOf(job.name), attempt: job.attempts, dead, error };
    this.#log[dead ? "error" : "warn"](`Cannot do the job "${job.name}"`, facts);
    await this.#again(job, { dead, error: text.slice(0, MAX_ERROR), pauseMs });
  }

  async #again(
    { id, name, group_key: group, order_key: order }: ClaimedJob,
    how: { readonly dead: boolean; readonly error: string | null; readonly pauseMs: number },
  ): Promise<void> {
    await failJob.execute(this.#store.db, { id, name, group, order, ...how });
    this.#pool(name)?.dueIn(how.pauseMs);
  }
}
