/**
 * A child process of the pool (`pool.ts`): starts `main.ts`, sends it one task at a time, answers the calls of the task, and
 * reports how it ended. Its environment holds nothing of the server's.
 */
import { join } from "node:path";
import { ApiError } from "../errors.ts";
import { MINUTE_MS } from "../std/time.ts";
import { yieldToEventLoop } from "../std/yield_to_event_loop.ts";
import { FrameReader, framesOf } from "./frames.ts";
import type { FromChild, ToChild } from "./messages.ts";
import type { RunOptions } from "./pool.ts";
import { type ChildLimits, lowerPriority, watchChild } from "./process_limits.ts";

const ENTRY = join(import.meta.dir, "main.ts");
const ERRORS_KEPT = 2_000;
/** On a busy machine it gets about half the CPU time of the server. */
const NICE = 3;
/** Time limit of the start, which takes seconds on a busy machine. */
const START_MS = MINUTE_MS;

/** A task whose process was ended by a limit or a signal. */
export class Interrupted extends Error {
  readonly how: "timeout" | "memory" | "killed";
  /** The end of the process's standard error. */
  readonly errors: string;

  constructor(how: Interrupted["how"], errors: string) {
    super(`A child process was ended: ${how}`);
    this.how = how;
    this.errors = errors;
  }
}

interface Current {
  readonly done: PromiseWithResolvers<unknown>;
  readonly options: RunOptions;
  /** The error of a function that the task called. */
  thrown?: unknown;
  /** What the task took, once it has ended by itself. */
  cpuMs?: number;
}

/** A child process that runs one task at a time. */
export class ChildProcess {
  readonly #child = Bun.spawn([process.execPath, "--no-install", "run", ENTRY], {
    // No folder in which others could place settings of Bun.
    cwd: "/",
    env: { PATH: process.env.PATH ?? "", HOME: "/", LANG: "C.UTF-8" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  readonly #ready = Promise.withResolvers<void>();
  #errors = "";
  #current: Current | undefined;

  constructor() {
    lowerPriority(this.#child.pid, NICE);
    this.#child.unref();
    void this.#read();
    void this.#readErrors();
  }

  get pid(): number {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && !this.#child.killed;
  }

  /**
   * Runs a task. Rejects with Interrupted where the process ends before the result. `charge` is called with the milliseconds of
   * processor time that the task took: of one that was ended, all since its start.
   */
  async run(
    input: unknown,
    options: RunOptions,
    limits: ChildLimits,
    charge: (ms: number) => void = () => {},
  ): Promise<unknown> {
    const done = Promise.withResolvers<unknown>();
    const current: Current = { done, options };
    let started: number | undefined;
    this.#current = current;
    this.#child.ref();
    const { module, task } = options;
    let watch = watchChild(this.#child, { ...limits, timeoutMs: START_MS });
    try {
      // No deadline, which `watch` has: a child that ends before it is ready fails the task.
      await Promise.race([this.#ready.promise, done.promise]);
      watch.stop();
      watch = watchChild(this.#child, limits);
      started = performance.now();
      void this.#send({ module, task, input });
      return await done.promise;
    } catch (error) {
      const ended = watch.ended();
      if (error instanceof Interrupted && ended !== "exited") throw new Interrupted(ended, error.errors);
      throw error;
    } finally {
      if (started !== undefined) charge(current.cpuMs ?? performance.now() - started);
      watch.stop();
      this.#child.unref();
      this.#current = undefined;
    }
  }

  /** Kills the process and waits for its exit. */
  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  async #send(message: ToChild): Promise<void> {
    const yieldNow = yieldToEventLoop();
    try {
      for (const frame of framesOf(message)) {
        await this.#child.stdin.write(frame);
        await this.#child.stdin.flush();
        await yieldNow();
      }
    } catch {
      // The process has ended; `#read` reports it.
      this.#child.kill("SIGKILL");
    }
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    const yieldNow = yieldToEventLoop();
    try {
      for await (const chunk of this.#child.stdout) {
        for (const message of reader.push(chunk)) this.#receive(message as FromChild);
        await yieldNow();
      }
    } catch {
      // Its output is unreadable: it must not get further tasks.
      this.#child.kill("SIGKILL");
    }
    await this.#child.exited;
    this.#current?.done.reject(new Interrupted("killed", this.#errors));
  }

  #receive(message: FromChild): void {
    const current = this.#current;
    if ("ready" in message) this.#ready.resolve();
    if (!current || "ready" in message) return;
    if ("call" in message) {
      void this.#answer(message, current);
      return;
    }
    current.cpuMs = message.cpuMs;
    if ("done" in message) current.done.resolve(message.done);
    else if (current.thrown !== undefined) current.done.reject(current.thrown);
    else if ("refused" in message)
      current.done.reject(new ApiError(message.refused.status, message.refused.message, message.refused.details));
    else current.done.reject(new Error(`A task of a child process failed: ${message.failed}`));
  }

  /** Answers a call of the task. If the function throws, `run` rejects with that. */
  async #answer({ call, name, value }: Extract<FromChild, { readonly call: number }>, current: Current): Promise<void> {
    try {
      await this.#send({ answer: call, value: await current.options.calls?.[name]?.(value) });
    } catch (error) {
      current.thrown = error;
      await this.#send({ answer: call, error: "The server could not answer." });
    }
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr)
      this.#errors = (this.#errors + decoder.decode(chunk, { stream: true })).slice(-ERRORS_KEPT);
  }
}
