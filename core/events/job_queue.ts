/**
 * Jobs and schedules as rows, so that a crash loses none. A job is written in the transaction of its action, claimed by any
 * process with `for update skip locked`, leased while it runs, retried with growing pauses, and kept as dead after its last
 * try. It may run twice (a crash before its deletion), so handlers are idempotent.
 */
import { type Generated, type GeneratedAlways, type Selectable, sql } from "kysely";
import { type Db, type Migrations, prepared, type Store, withSlowPool } from "../../db/mod.ts";
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

declare module "../../db/query/tables.ts" {
  interface Tables {
    jobs: JobsTable;
    schedules: SchedulesTable;
  }
}

const CHANNEL = "lectern_jobs";
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

interface NewJob {
  readonly name: string;
  /** JSON. */
  readonly payload: string;
  readonly key: string | null;
  readonly delayMs: number;
}

const insert = prepared("jobs.insert", (db, p: NewJob) =>
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

const notify = prepared("jobs.notify", (db) => db.selectNoFrom(sql`pg_notify(${sql.lit(CHANNEL)}, '')`.as("notified")));

/** Moves a schedule on if it is due. */
const takeSchedule = prepared("jobs.takeSchedule", (db, p: { name: string; everyMs: number }) =>
  db
    .updateTable("schedules")
    .set({ next_at: sql<string>`now() + ${p.everyMs}::bigint * interval '1 millisecond'` })
    .where("name", "=", p.name)
    .where("next_at", "<=", sql<string>`now()`)
    .returning("name"),
);

/** Claims the job that is due first. `names` are those of the handlers, `leases` theirs in milliseconds. */
const claim = prepared("jobs.claim", (db, p: { names: readonly string[]; leases: readonly number[] }) => {
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

const remove = prepared("jobs.remove", (db, p: { id: number }) => db.deleteFrom("jobs").where("id", "=", p.id));

const fail = prepared("jobs.fail", (db, p: { id: number; dead: boolean; error: string; pauseMs: number }) =>
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

  /** Registers the one handler of a job name. */
  handle(name: string, run: Handler, options: JobOptions = {}): void {
    if (this.#handlers.has(name)) throw new Error(`Cannot handle the job "${name}" twice`);
    this.#handlers.set(name, { run, options: { tries: DEFAULT_TRIES, leaseMs: DEFAULT_LEASE_MS, ...options } });
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
    await insert.write(db, { name, payload: JSON.stringify(payload), key, delayMs });
    await notify.write(db, {});
  }

  /** Starts to claim jobs: at each notification, and every few seconds for delayed jobs and those of crashed processes. */
  async start(): Promise<void> {
    this.#open = true;
    for (const [name, { everyMs }] of this.#schedules) {
      await this.#store.db
        .insertInto("schedules")
        .values({ name, next_at: sql<string>`now() + ${everyMs} * interval '1 millisecond'` })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
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
      await remove.execute(this.#store.db, { id: job.id });
    } catch (error) {
      await this.#failed(job, options, error);
    }
    return true;
  }

  async #claim(): Promise<ClaimedJob | undefined> {
    if (this.#handlers.size === 0) return undefined;
    const leases = [...this.#handlers.values()].map(({ options }) => options.leaseMs);
    return claim.executeTakeFirst(this.#store.db, { names: [...this.#handlers.keys()], leases });
  }

  async #failed(job: ClaimedJob, options: Required<JobOptions>, error: unknown): Promise<void> {
    const dead = job.attempts >= options.tries;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (job.attempts - 1));
    const text = error instanceof Error ? error.message : String(error);
    const facts = { job: job.id, attempt: job.attempts, dead, error };
    this.#log[dead ? "error" : "warn"](`Cannot do the job "${job.name}"`, facts);
    await fail.execute(this.#store.db, { id: job.id, dead, error: text.slice(0, MAX_ERROR), pauseMs });
  }
}
