/**
 * Jobs and schedules as rows, so that a crash loses none. A job is written in the transaction of its action, claimed by any
 * process with `for update skip locked`, leased while it runs, retried with growing pauses, and kept as dead after its last
 * try. It may run twice (a crash before its deletion), so handlers are idempotent.
 */
import { type Selectable, sql } from "kysely";
import { type Db, type Migrations, type Store, withSlowPool } from "../../db/mod.ts";
import {
  CHANNEL,
  claimJob,
  failJob,
  insertJob,
  insertSchedule,
  type JobsTable,
  notifyQueues,
  removeJob,
  takeSchedule,
} from "../job_store.ts";
import type { Log } from "../log.ts";
import type { EnqueueOptions } from "./event_bus.ts";

/** Tries and lease of a job. */
export interface JobOptions {
  /** Tries before the job is kept as dead; 5 by default. */
  readonly tries?: number;
  /** Milliseconds after which another process may claim a job that still runs; 60,000 by default. */
  readonly leaseMs?: number;
}

/** One try of a job. */
export interface JobRun {
  readonly id: number;
  /** 1 for the first try. */
  readonly attempt: number;
}

type Handler = (payload: unknown, run: JobRun) => Promise<void>;
type ClaimedJob = Pick<Selectable<JobsTable>, "id" | "name" | "payload" | "attempts">;

const DEFAULT_TRIES = 5;
const DEFAULT_LEASE_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 3_600_000;
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
  readonly #handlers = new Map<string, { run: Handler; options: Required<JobOptions> }>();
  readonly #schedules = new Map<string, { everyMs: number; run: () => Promise<void> }>();
  readonly #running = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  #open = false;

  /** `statementMs` limits each statement of a job or schedule. */
  constructor(store: Store, log: Log, statementMs: number) {
    this.#store = store;
    this.#log = log;
    this.#statementMs = statementMs;
  }

  /** Whether it claims jobs: from the start until the stop. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Registers the one handler of a job name. */
  handle(name: string, run: Handler, options: JobOptions = {}): void {
    if (this.#handlers.has(name)) throw new Error(`Cannot handle the job "${name}" twice`);
    this.#handlers.set(name, { run, options: { tries: DEFAULT_TRIES, leaseMs: DEFAULT_LEASE_MS, ...options } });
  }

  /** The names of the jobs that have a handler. */
  names(): string[] {
    return [...this.#handlers.keys()];
  }

  /** Registers work that one process at a time does at intervals. */
  schedule(name: string, everyMs: number, run: () => Promise<void>): void {
    if (this.#schedules.has(name)) throw new Error(`Cannot schedule "${name}" twice`);
    this.#schedules.set(name, { everyMs, run });
  }

  /** Writes a job over `db`: the store, or an open transaction. */
  async enqueue(db: Db, name: string, payload: unknown, options: EnqueueOptions = {}): Promise<void> {
    if (!this.#handlers.has(name)) throw new Error(`Cannot enqueue "${name}": no plugin handles this job`);
    const { key = null, delayMs = 0 } = options;
    await insertJob.write(db, { name, payload: JSON.stringify(payload), key, delayMs });
    await notifyQueues.write(db, {});
  }

  /** Starts to claim jobs: at each notification, and every few seconds for delayed jobs and those of crashed processes. */
  async start(): Promise<void> {
    this.#open = true;
    for (const [name, { everyMs }] of this.#schedules) await insertSchedule.execute(this.#store.db, { name, everyMs });
    const wake = () => this.#wake();
    this.#stopListening = await this.#store.listen(CHANNEL, { onNotify: wake, onReturn: wake });
    this.#wake();
  }

  /** Claims no more jobs and waits for those that run. */
  async stop(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#stopListening?.();
    await Promise.allSettled([...this.#running]);
  }

  /** Works until no job is due; for commands and tests. */
  async drain(): Promise<void> {
    while ((await this.#runOne()) || this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (!this.#open) return;
    this.#timer = setTimeout(() => this.#wake(), POLL_MS);
    while (this.#running.size < CONCURRENCY) this.#track(this.#worker());
    this.#track(this.#tick());
  }

  #track(run: Promise<void>): void {
    const tracked = run.catch((error: unknown) => this.#log.error("Cannot work on jobs", { error }));
    this.#running.add(tracked);
    void tracked.finally(() => this.#running.delete(tracked));
  }

  async #worker(): Promise<void> {
    while (this.#open && (await this.#runOne()));
  }

  async #tick(): Promise<void> {
    for (const [name, { everyMs, run }] of this.#schedules) {
      if (await takeSchedule.executeTakeFirst(this.#store.db, { name, everyMs })) await this.#onSlowPool(run);
    }
  }

  /** Runs work in the slow pool, where it takes turns with users. */
  #onSlowPool(run: () => Promise<void>): Promise<void> {
    return withSlowPool({ key: "jobs", limitMs: this.#statementMs }, run);
  }

  async #runOne(): Promise<boolean> {
    const job = await this.#claim();
    if (!job) return false;
    const { run, options } = this.#handlers.get(job.name) as { run: Handler; options: Required<JobOptions> };
    try {
      await this.#onSlowPool(() => run(job.payload, { id: job.id, attempt: job.attempts }));
      await removeJob.execute(this.#store.db, { id: job.id });
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
    const dead = job.attempts >= options.tries;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (job.attempts - 1));
    const text = error instanceof Error ? error.message : String(error);
    const facts = { job: job.id, attempt: job.attempts, dead, error };
    this.#log[dead ? "error" : "warn"](`Cannot do the job "${job.name}"`, facts);
    await failJob.execute(this.#store.db, { id: job.id, dead, error: text.slice(0, MAX_ERROR), pauseMs });
  }
}
