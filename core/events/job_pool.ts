/**
 * Jobs that share a number of places in one process: those of one name with a `limit`, or all that have none. A turn claims at most
 * as many as places are free. Turns follow notifications, the end of a job, and the time at which something is known to be due.
 */
import { type Log, logRetried } from "../log.ts";
import { type Frees, JobGroups } from "./job_groups.ts";

/** Milliseconds until jobs are claimed again that could not be, as the store is away. */
const RETRY_MS = 5_000;

/** Milliseconds for which ends of jobs of groups are collected before more are claimed. */
const GATHER_MS = 20;

/** A job that this process has claimed. */
export interface ClaimedJob {
  readonly id: number;
  readonly name: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly group_key: string;
  readonly order_key: string | null;
  readonly lease_ms: number | null;
}

/** Which jobs to claim: of the given groups alone, or of all. */
export interface Wanted extends Frees {
  readonly free: number;
  readonly isOfAll: boolean;
}

/** What a pool works with. */
export interface JobPoolOptions {
  readonly limit: number;
  readonly perGroup: number;
  readonly log: Log;
  claim(wanted: Wanted): Promise<readonly ClaimedJob[]>;
  /** Does a job and records its end; false where it failed. Does not throw while the store answers. */
  run(job: ClaimedJob): Promise<boolean>;
  /** A claim found fewer jobs than places were free. */
  onShort(): void;
}

/** Places for jobs. */
export class JobPool {
  readonly #options: JobPoolOptions;
  readonly #groups: JobGroups;
  readonly #running = new Set<Promise<void>>();
  /** Groups of which something may be due; of all where `#isAllNews`. */
  #news = new Set<string>();
  #isAllNews = false;
  #turns: Promise<void> | undefined;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #soon: Timer | undefined;
  #isOpen = false;

  constructor(options: JobPoolOptions) {
    this.#options = options;
    this.#groups = new JobGroups(options.limit, options.perGroup);
  }

  /** Turns and jobs that have not ended. */
  get running(): readonly Promise<void>[] {
    return [...this.#running, ...(this.#turns ? [this.#turns] : [])];
  }

  /** Begins to claim. */
  open(): void {
    this.#isOpen = true;
  }

  /** Claims no more; what runs goes on. */
  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#soon);
  }

  /** Something is due after a time. */
  dueIn(ms: number): void {
    const at = performance.now() + Math.max(0, ms);
    if (!this.#isOpen || at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const turn = () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#isAllNews = true;
      this.#takeTurns();
    };
    // A timer may end a moment early.
    if (ms <= 0) turn();
    else this.#timer = setTimeout(turn, Math.ceil(at - performance.now()) + 1);
  }

  /** Claims once, and begins what it claimed: how many that are. */
  async turn(): Promise<number> {
    const isOfAll = this.#isAllNews || !this.#isOpen;
    const wanted = this.#groups.frees(isOfAll ? undefined : this.#news);
    const free = this.#groups.room;
    if (free <= 0) return 0;
    this.#news = new Set();
    this.#isAllNews = false;
    const jobs = await this.#options.claim({ ...wanted, free, isOfAll });
    for (const job of jobs) this.#begin(job);
    // More may be due than places were free.
    if (jobs.length === free) this.#isAllNews = true;
    else if (isOfAll) this.#short();
    return jobs.length;
  }

  #short(): void {
    this.#groups.rest();
    this.#options.onShort();
  }

  #takeTurns(): void {
    if (this.#turns || !this.#wantsTurn()) return;
    if (this.#groups.room <= 0) {
      this.dueIn(this.#groups.roomInMs);
      return;
    }
    this.#turns = this.#untilNoNews()
      .catch((error: unknown) => {
        logRetried(this.#options.log, "Cannot work on jobs", { error });
        this.dueIn(RETRY_MS);
      })
      .finally(() => {
        this.#turns = undefined;
        // News may have come since the last turn.
        this.#takeTurns();
      });
  }

  /** Jobs of groups end one by one: those that end together have one turn. */
  #turnSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#takeTurns();
    }, GATHER_MS);
  }

  #wantsTurn(): boolean {
    const hasNews = this.#isAllNews || this.#news.size > 0;
    return this.#isOpen && hasNews && this.#running.size < this.#options.limit;
  }

  async #untilNoNews(): Promise<void> {
    while (this.#wantsTurn() && this.#groups.room > 0) await this.turn();
  }

  #begin(job: ClaimedJob): void {
    const { group_key: group } = job;
    const place = this.#groups.begin(group);
    const run = this.#options
      .run(job)
      .catch((error: unknown) => {
        logRetried(this.#options.log, "Cannot work on jobs", { error });
        return false;
      })
      .then((isDone) => {
        this.#running.delete(run);
        const isForAll = this.#groups.end(place, isDone);
        // Jobs of no group were claimed as far as places were free.
        if (group === "") return this.#takeTurns();
        if (isForAll) this.#isAllNews = true;
        else this.#news.add(group);
        this.#turnSoon();
      });
    this.#running.add(run);
  }
}
