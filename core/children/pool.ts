/**
 * A pool of child processes for work that would block the event loop: parsing, rendering, comparing. Processes are started on
 * demand, reused, and ended after a minute without work. Their number, the queue, and the time and memory of a task are
 * bounded. Scheduling is fair between the owners of tasks: no owner occupies all processes, owners take turns however many
 * tasks each has, and a full queue drops a task of the owner with most of them for one of an owner with fewer.
 */

import { AsyncResource } from "node:async_hooks";
import type { Config } from "../config.ts";
import { ApiError, localizedError } from "../errors.ts";
import type { Log } from "../log.ts";
import { waited } from "../waits.ts";
import { ChildProcess, Interrupted } from "./process.ts";

/** Size and limits of a pool. */
export interface ChildPoolOptions {
  readonly children: number;
  /** Time limit of a task in milliseconds. */
  readonly timeoutMs: number;
  /** Limit of resident memory of a process in bytes. */
  readonly maxBytes: number;
  /** Length of the queue, over all owners. */
  readonly maxWaiting: number;
  readonly log: Log;
}

/** Options of a task. */
export interface RunOptions {
  /** The owner of the task, such as "viewer 12". */
  readonly owner: string;
  /** The file that exports the task, such as `join(import.meta.dir, "tasks.ts")`. */
  readonly module: string;
  readonly task: string;
  /** Functions of the server that the task may call. */
  readonly calls?: Readonly<Record<string, (value: unknown) => unknown>>;
  /** The status of the error where the task exceeds its time or memory; 422 by default. */
  readonly exceeded?: 422 | 503;
  /** Time limit of this task in milliseconds. */
  readonly timeoutMs?: number;
}

/** The pool as plugins see it. */
export interface Children {
  /**
   * Runs a task in a child process; `input` and result are plain data with strings and bytes of any size. Rejects with the
   * ApiError that the task throws, with 422 beyond its time or memory, and with 503 where the queue is full or the process
   * was killed.
   */
  run<R>(input: unknown, options: RunOptions): Promise<R>;
}

interface Task {
  readonly input: unknown;
  readonly options: RunOptions;
  readonly done: PromiseWithResolvers<unknown>;
  expires?: ReturnType<typeof setTimeout>;
  /** When it began to wait for a process; undefined where one was free. */
  since?: number;
}

/** The share of the queue that one owner may fill. */
const OWNER_SHARE = 0.5;
const IDLE_MS = 60_000;
const RETRY_AFTER_S = 10;
const BUSY = "Too much work is waiting to be done; try again in a moment.";
const SLOW = "This takes more than the :seconds seconds it may take; send less at once.";
const LARGE = "This takes more than the :megabytes MB of memory it may take; send less at once.";

/** The same, with functions that run in the asynchronous context of the caller: that of its request, and as whom it acts. */
function withContext(options: RunOptions): RunOptions {
  if (!options.calls) return options;
  const calls = Object.entries(options.calls).map(([name, call]) => [name, AsyncResource.bind(call)]);
  return { ...options, calls: Object.fromEntries(calls) };
}

/** The pool of one server. */
export class ChildPool implements Children {
  readonly #options: ChildPoolOptions;
  readonly #idle: { child: ChildProcess; timer: ReturnType<typeof setTimeout> }[] = [];
  readonly #busy = new Set<ChildProcess>();
  readonly #running = new Map<string, number>();
  /** Owners with waiting or running tasks, with the number of the turn that started their latest one. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #waiting: Task[] = [];
  #isStopped = false;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
  }

  /** Ids of all processes, idle ones included. */
  get pids(): number[] {
    return [...this.#idle.map(({ child }) => child.pid), ...[...this.#busy].map(({ pid }) => pid)];
  }

  async run<R>(input: unknown, options: RunOptions): Promise<R> {
    if (this.#isStopped || !this.#hasRoom(options.owner)) throw unavailable(BUSY);
    const task: Task = { input, options: withContext(options), done: Promise.withResolvers() };
    // A task waits no longer than it may run.
    task.expires = setTimeout(() => this.#drop(task), this.#options.timeoutMs);
    this.#waiting.push(task);
    this.#startWaiting();
    if (this.#waiting.includes(task)) task.since = performance.now();
    return task.done.promise as Promise<R>;
  }

  /** Ends all processes; running and waiting tasks reject. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const task of this.#waiting.splice(0)) refuse(task, unavailable("The server is stopping."));
    const children = [...this.#busy, ...this.#idle.map(({ child }) => child)];
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all(children.map(async (child) => child.end()));
  }

  #startWaiting(): void {
    while (this.#busy.size < this.#options.children) {
      const task = this.#nextTask();
      if (!task) return;
      this.#waiting = this.#waiting.filter((one) => one !== task);
      clearTimeout(task.expires);
      if (task.since !== undefined) waited("child_process", task.since);
      void this.#start(task);
    }
  }

  /** The first waiting task of the owner with the fewest running ones; among several, of the one whose turn was longest ago. */
  #nextTask(): Task | undefined {
    const most = Math.max(1, this.#options.children - 1);
    const turnOf = ({ options }: Task) => this.#turns.get(options.owner) ?? 0;
    let chosen: Task | undefined;
    for (const task of this.#waiting) {
      const running = this.#runningOf(task);
      if (running >= most) continue;
      const fewer = chosen ? running - this.#runningOf(chosen) : -1;
      if (!chosen || fewer < 0 || (fewer === 0 && turnOf(task) < turnOf(chosen))) chosen = task;
    }
    return chosen;
  }

  #runningOf({ options }: Task): number {
    return this.#running.get(options.owner) ?? 0;
  }

  async #start(task: Task): Promise<void> {
    const { owner } = task.options;
    this.#running.set(owner, this.#runningOf(task) + 1);
    this.#turns.set(owner, ++this.#turn);
    let child: ChildProcess | undefined;
    try {
      child = this.#takeChild();
      this.#busy.add(child);
      const limits = { maxBytes: this.#options.maxBytes, timeoutMs: task.options.timeoutMs ?? this.#options.timeoutMs };
      task.done.resolve(await child.run(task.input, task.options, limits));
    } catch (error) {
      task.done.reject(error instanceof Interrupted ? this.#interruptedError(error, task.options) : error);
    }
    const left = this.#runningOf(task) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.#forgetTurn(owner);
    if (child) {
      this.#busy.delete(child);
      this.#keepIdle(child);
    }
    this.#startWaiting();
  }

  #takeChild(): ChildProcess {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.child.isAlive) return kept.child;
    }
    try {
      return new ChildProcess();
    } catch (error) {
      // The system allows no further process.
      this.#options.log.error("Cannot start a child process", { error });
      throw unavailable(BUSY);
    }
  }

  #keepIdle(child: ChildProcess): void {
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

  #drop(task: Task): void {
    this.#waiting = this.#waiting.filter((one) => one !== task);
    if (task.since !== undefined) waited("child_process", task.since);
    refuse(task, unavailable(BUSY));
    this.#forgetTurn(task.options.owner);
  }

  /** Whether a task of an owner may be queued. Where the queue is full, an owner with two more tasks in it loses its last one. */
  #hasRoom(owner: string): boolean {
    const { maxWaiting } = this.#options;
    const counts = new Map<string, number>();
    for (const { options } of this.#waiting) counts.set(options.owner, (counts.get(options.owner) ?? 0) + 1);
    const own = counts.get(owner) ?? 0;
    if (own >= Math.ceil(maxWaiting * OWNER_SHARE)) return false;
    if (this.#waiting.length < maxWaiting) return true;
    const [most = "", count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
    const last = this.#waiting.findLast((task) => task.options.owner === most);
    if (!last || count <= own + 1) return false;
    this.#drop(last);
    return true;
  }

  /** Drops the turn of an owner without tasks. */
  #forgetTurn(owner: string): void {
    if (!this.#running.has(owner) && !this.#waiting.some((task) => task.options.owner === owner))
      this.#turns.delete(owner);
  }

  #interruptedError(
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

function refuse(task: Task, error: ApiError): void {
  clearTimeout(task.expires);
  task.done.reject(error);
}

function unavailable(message: string): ApiError {
  return new ApiError(503, message, { headers: { "retry-after": String(RETRY_AFTER_S) } });
}

/** Opens a pool with the settings of a runtime. */
export function openChildPool(config: Config, log: Log): ChildPool {
  return new ChildPool({
    children: config.children,
    timeoutMs: config.childSeconds * 1000,
    maxBytes: config.childMegabytes * 1024 * 1024,
    maxWaiting: config.childQueue,
    log,
  });
}
