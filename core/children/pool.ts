/**
 * Child processes for work that would block the event loop: parsing, rendering, comparing. They are started when there is
 * work, kept for the next, and ended when there was none for a while. Their number, the waiting tasks, the time and the
 * memory of a task are bounded. Tasks belong to owners: an owner never occupies all children, owners take turns however
 * many tasks each of them has, and where no more may wait, who has most of them waiting gives a place to who has
 * fewer, so that nobody can hold up the others.
 */

import type { Config } from "../config.ts";
import { ApiError, localizedError } from "../errors.ts";
import type { Log } from "../log.ts";
import { ChildProcess, Interrupted } from "./process.ts";

/** How many children there are and what they may take. */
export interface ChildPoolOptions {
  readonly children: number;
  /** Milliseconds that a task may run. */
  readonly timeoutMs: number;
  /** Resident bytes that a child may take. */
  readonly maxBytes: number;
  /** Tasks that may wait, those of all owners together. */
  readonly maxWaiting: number;
  readonly log: Log;
}

/** How a task is run. */
export interface RunOptions {
  /** Whose task it is, such as "viewer 12". */
  readonly owner: string;
  /** The file of the module that has the task, such as `join(import.meta.dir, "tasks.ts")`. */
  readonly module: string;
  readonly task: string;
  /** Functions that the task may call while it runs. */
  readonly calls?: Readonly<Record<string, (value: unknown) => unknown>>;
  /** The status of the refusal where the task exceeds its time or memory; 422 unless told otherwise. */
  readonly exceeded?: 422 | 503;
  /** Milliseconds that this task may run. */
  readonly timeoutMs?: number;
}

/** What plugins see of the pool. */
export interface Children {
  /**
   * Runs a task of a module in a child process; `input` and result are plain data, texts and bytes of any size among it.
   * Rejects with the ApiError that the task throws, with 422 where it exceeds its time or memory, and with 503 where
   * too many wait or the process was killed.
   */
  run<R>(input: unknown, options: RunOptions): Promise<R>;
}

interface Job {
  readonly input: unknown;
  readonly options: RunOptions;
  readonly done: PromiseWithResolvers<unknown>;
  expires?: ReturnType<typeof setTimeout>;
}

/** A share of the waiting tasks that one owner may have. */
const OWNER_SHARE = 0.5;
const IDLE_MS = 60_000;
const RETRY_AFTER_S = 10;
const BUSY = "Too much work is waiting to be done; try again in a moment.";
const SLOW = "This takes more than the :seconds seconds it may take; send less at once.";
const LARGE = "This takes more than the :megabytes MB of memory it may take; send less at once.";

/** The pool of one server. */
export class ChildPool implements Children {
  readonly #options: ChildPoolOptions;
  readonly #idle: { child: ChildProcess; timer: ReturnType<typeof setTimeout> }[] = [];
  readonly #busy = new Set<ChildProcess>();
  readonly #running = new Map<string, number>();
  /** Owners of waiting or running tasks, by the turn in which their latest one was started. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #waiting: Job[] = [];
  #isStopped = false;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
  }

  /** Ids of the processes there are, those that wait for work among them. */
  get pids(): number[] {
    return [...this.#idle.map(({ child }) => child.pid), ...[...this.#busy].map(({ pid }) => pid)];
  }

  async run<R>(input: unknown, options: RunOptions): Promise<R> {
    if (this.#isStopped || !this.#hasRoom(options.owner)) throw unavailable(BUSY);
    const job: Job = { input, options, done: Promise.withResolvers() };
    // Whoever waits longer than a task may take gets an answer that says so.
    job.expires = setTimeout(() => this.#giveUp(job), this.#options.timeoutMs);
    this.#waiting.push(job);
    this.#next();
    return job.done.promise as Promise<R>;
  }

  /** Ends all children; what runs or waits is refused. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of this.#waiting.splice(0)) refuse(job, unavailable("The server is stopping."));
    const children = [...this.#busy, ...this.#idle.map(({ child }) => child)];
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all(children.map(async (child) => child.end()));
  }

  #next(): void {
    while (this.#busy.size < this.#options.children) {
      const job = this.#choose();
      if (!job) return;
      this.#waiting = this.#waiting.filter((one) => one !== job);
      clearTimeout(job.expires);
      void this.#start(job);
    }
  }

  /** The first waiting task of the owner with fewest running ones; of several owners, whose turn was longest ago. */
  #choose(): Job | undefined {
    const most = Math.max(1, this.#options.children - 1);
    const turnOf = ({ options }: Job) => this.#turns.get(options.owner) ?? 0;
    let chosen: Job | undefined;
    for (const job of this.#waiting) {
      const running = this.#runningOf(job);
      if (running >= most) continue;
      const fewer = chosen ? running - this.#runningOf(chosen) : -1;
      if (!chosen || fewer < 0 || (fewer === 0 && turnOf(job) < turnOf(chosen))) chosen = job;
    }
    return chosen;
  }

  #runningOf({ options }: Job): number {
    return this.#running.get(options.owner) ?? 0;
  }

  async #start(job: Job): Promise<void> {
    const { owner } = job.options;
    this.#running.set(owner, this.#runningOf(job) + 1);
    this.#turns.set(owner, ++this.#turn);
    let child: ChildProcess | undefined;
    try {
      child = this.#take();
      this.#busy.add(child);
      const limits = { maxBytes: this.#options.maxBytes, timeoutMs: job.options.timeoutMs ?? this.#options.timeoutMs };
      job.done.resolve(await child.run(job.input, job.options, limits));
    } catch (error) {
      job.done.reject(error instanceof Interrupted ? this.#said(error, job.options) : error);
    }
    const left = this.#runningOf(job) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.#forget(owner);
    if (child) {
      this.#busy.delete(child);
      this.#keep(child);
    }
    this.#next();
  }

  #take(): ChildProcess {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.child.isAlive) return kept.child;
    }
    try {
      return new ChildProcess();
    } catch (error) {
      // The system has no room for a further process.
      this.#options.log.error("Cannot start a child process", { error });
      throw unavailable(BUSY);
    }
  }

  #keep(child: ChildProcess): void {
    if (this.#isStopped || !child.isAlive) {
      void child.end();
      return;
    }
    const entry = {
      child,
      timer: setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(entry), 1);
        void child.end();
      }, IDLE_MS),
    };
    entry.timer.unref();
    this.#idle.push(entry);
  }

  #giveUp(job: Job): void {
    this.#waiting = this.#waiting.filter((one) => one !== job);
    refuse(job, unavailable(BUSY));
    this.#forget(job.options.owner);
  }

  /** Whether a further task of an owner may wait. Where all places are taken, who has two more than it loses the last one. */
  #hasRoom(owner: string): boolean {
    const { maxWaiting } = this.#options;
    const counts = new Map<string, number>();
    for (const { options } of this.#waiting) counts.set(options.owner, (counts.get(options.owner) ?? 0) + 1);
    const own = counts.get(owner) ?? 0;
    if (own >= Math.ceil(maxWaiting * OWNER_SHARE)) return false;
    if (this.#waiting.length < maxWaiting) return true;
    const [most = "", count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
    const last = this.#waiting.findLast((job) => job.options.owner === most);
    if (!last || count <= own + 1) return false;
    this.#giveUp(last);
    return true;
  }

  /** An owner without tasks has no turn to wait for. */
  #forget(owner: string): void {
    if (!this.#running.has(owner) && !this.#waiting.some((job) => job.options.owner === owner))
      this.#turns.delete(owner);
  }

  #said(
    { how, errors }: Interrupted,
    { task, exceeded = 422, timeoutMs = this.#options.timeoutMs }: RunOptions,
  ): ApiError {
    this.#options.log.warn("A child process was ended", { task, how, errors });
    const headers = exceeded === 503 ? { headers: { "retry-after": String(RETRY_AFTER_S) } } : {};
    if (how === "timeout") return localizedError(exceeded, SLOW, { seconds: String(timeoutMs / 1000) }, headers);
    if (how === "memory")
      return localizedError(
        exceeded,
        LARGE,
        { megabytes: String(Math.round(this.#options.maxBytes / 1024 / 1024)) },
        headers,
      );
    return unavailable("The work on this was interrupted; try again in a moment.");
  }
}

function refuse(job: Job, error: ApiError): void {
  clearTimeout(job.expires);
  job.done.reject(error);
}

function unavailable(message: string): ApiError {
  return new ApiError(503, message, { headers: { "retry-after": String(RETRY_AFTER_S) } });
}

/** The pool of a runtime's settings. */
export function openChildPool(config: Config, log: Log): ChildPool {
  return new ChildPool({
    children: config.children,
    timeoutMs: config.childSeconds * 1000,
    maxBytes: config.childMegabytes * 1024 * 1024,
    maxWaiting: config.childQueue,
    log,
  });
}
