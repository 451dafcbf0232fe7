/**
 * A pool of child processes for work that would block the event loop: parsing, rendering, comparing. Processes are started on
 * demand, reused, and ended after a minute without work. Their number, the queue, and the time and memory of a task are
 * bounded. Owners of tasks share them fairly (`std/fair_queue.ts`).
 */

import { AsyncResource } from "node:async_hooks";
import type { Config } from "../config.ts";
import { ApiError, localizedError } from "../errors.ts";
import type { Log } from "../log.ts";
import { FairQueue } from "../std/fair_queue.ts";
import { MINUTE_MS, SECOND_MS } from "../std/time.ts";
import { ChildProcess, Interrupted } from "./process.ts";

/** Size and limits of a pool. */
export interface ChildPoolOptions {
  readonly children: number;
  /** Time limit of a task in milliseconds. */
  readonly timeoutMs: number;
  /** Limit of resident memory of a process in bytes. */
  readonly maxBytes: number;
  /** Bytes of the inputs that may wait, over all owners. */
  readonly maxWaitingBytes: number;
  readonly log: Log;
  /** Whom the processor time of tasks is charged to. */
  readonly meter?: WorkMeter;
}

/** Charges the processor time of tasks to whoever asks for them. */
export interface WorkMeter {
  /** Throws the error of a caller that may not begin a task now. */
  begin(): void;
  /** Charges milliseconds to the caller. */
  charge(ms: number): void;
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
   * ApiError that the task throws, with 422 beyond its time or memory, with 429 where the user or address of the request is
   * past its budget of processor time, and with 503 where it waited too long, too many bytes wait or the process was killed.
   */
  run<R>(input: unknown, options: RunOptions): Promise<R>;
}

const IDLE_MS = MINUTE_MS;
const RETRY_AFTER_S = 10;
/** Bytes of a member of an object or array beside its value. */
const BYTES_PER_MEMBER = 16;
const BUSY = "Too much work is waiting to be done; try again in a moment.";
const STOPPING = "The server is stopping.";
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
  readonly #queue: FairQueue;
  readonly #idle: { child: ChildProcess; timer: ReturnType<typeof setTimeout> }[] = [];
  readonly #busy = new Set<ChildProcess>();
  #isStopped = false;

  constructor(options: ChildPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({
      name: "child_process",
      permits: options.children,
      maxWaiting: options.maxWaitingBytes,
      // A task waits no longer than it may run.
      waitMs: options.timeoutMs,
      busy: () => unavailable(BUSY),
    });
  }

  /** Ids of all processes, idle ones included. */
  get pids(): number[] {
    return [...this.#idle.map(({ child }) => child.pid), ...[...this.#busy].map(({ pid }) => pid)];
  }

  async run<R>(input: unknown, options: RunOptions): Promise<R> {
    if (this.#isStopped) throw unavailable(BUSY);
    const bound = withContext(options);
    const release = await this.#queue.acquireWeighing(bytesOf(input), options.owner);
    try {
      return (await this.#runInChild(input, bound)) as R;
    } finally {
      release();
    }
  }

  /** Ends all processes; running and waiting tasks reject. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.refuseWaiting(unavailable(STOPPING));
    const children = [...this.#busy, ...this.#idle.map(({ child }) => child)];
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all(children.map(async (child) => child.end()));
  }

  async #runInChild(input: unknown, options: RunOptions): Promise<unknown> {
    // It may have stopped since a permit was free.
    if (this.#isStopped) throw unavailable(STOPPING);
    const { maxBytes, meter, timeoutMs } = this.#options;
    meter?.begin();
    const child = this.#takeChild();
    this.#busy.add(child);
    try {
      const limits = { maxBytes, timeoutMs: options.timeoutMs ?? timeoutMs };
      return await child.run(input, options, limits, (ms) => meter?.charge(ms));
    } catch (error) {
      throw error instanceof Interrupted ? this.#interruptedError(error, options) : error;
    } finally {
      this.#busy.delete(child);
      this.#keepIdle(child);
    }
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

  #interruptedError(
    { how, errors }: Interrupted,
    { task, exceeded = 422, timeoutMs = this.#options.timeoutMs }: RunOptions,
  ): ApiError {
    this.#options.log.warn("A child process was ended", { task, how, errors });
    const headers = exceeded === 503 ? { headers: { "retry-after": String(RETRY_AFTER_S) } } : {};
    if (how === "timeout") return localizedError(exceeded, SLOW, { seconds: String(timeoutMs / SECOND_MS) }, headers);
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

/** Bytes of a value that can be sent to a process, about: what it keeps in memory while it waits. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return value.length * 2;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  let bytes = 0;
  for (const member of Object.values(value)) bytes += BYTES_PER_MEMBER + bytesOf(member);
  return bytes;
}

function unavailable(message: string): ApiError {
  return new ApiError(503, message, { headers: { "retry-after": String(RETRY_AFTER_S) } });
}

/** Opens a pool with the settings of a runtime. */
export function openChildPool(config: Config, log: Log, meter: WorkMeter): ChildPool {
  return new ChildPool({
    children: config.children,
    timeoutMs: config.childSeconds * SECOND_MS,
    maxBytes: config.childMegabytes * 1024 * 1024,
    maxWaitingBytes: config.childQueueBytes,
    log,
    meter,
  });
}
