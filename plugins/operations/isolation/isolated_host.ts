/**
 * Keeps the process of one isolated plugin: starts it, calls it with a time limit, kills it at its limits, and starts it again
 * at the next call, with growing pauses. Where a process ends, only the calls that it was answering fail.
 */
import { join } from "node:path";
import { BootError, ConfinedProcess, type Enforcement, localizedError, MINUTE_MS } from "lectern/core";
import { type AnswerCall, Channel } from "./channel.ts";
import type { LoadOrder } from "./child_main.ts";
import type { Limits } from "./limits.ts";

/** What runs in the process, and who answers its calls. */
export interface HostOptions {
  /** The entry of the operator's list, for errors. */
  readonly entry: string;
  readonly load: LoadOrder;
  readonly readable: readonly string[];
  readonly limits: Limits;
  /** Checks what a started process says of itself; what it throws ends the process. */
  readonly started: (manifest: unknown) => void;
  readonly answer: AnswerCall;
}

/** Hooks that the owner sets once the runtime boots. */
export interface HostHooks {
  /** Runs in each process after it has loaded the plugin, before other calls. */
  readonly setUp: (call: (name: string, value: unknown) => Promise<unknown>) => Promise<void>;
  /** The process has ended without an order of the server. */
  readonly ended: (reason: string) => void;
}

const MAIN = join(import.meta.dir, "child_main.ts");
const BYTES_PER_MB = 2 ** 20;
const FIRST_PAUSE_MS = 200;
const RETRY_AFTER_S = 5;
/** The process waits with calls beyond its limit (`child_channel.ts`); one that makes so many times as many breaks the protocol. */
const CALLS_MARGIN = 2;
/** A process that lived so long counts as sound: the pauses begin anew. */
const SOUND_MS = MINUTE_MS;
const SLOW = 'The plugin ":plugin" did not answer in time.';
const AWAY = 'The plugin ":plugin" does not run at the moment; try again in a moment.';

interface Running {
  readonly process: ConfinedProcess;
  readonly channel: Channel;
  readonly since: number;
  readonly heartbeat: ReturnType<typeof setInterval>;
  /** Whether it loads the plugin or runs its `setup`, which have a limit of their own. */
  isStarting: boolean;
  awaited: number;
}

/** The process of one isolated plugin. */
export class IsolatedHost {
  readonly #options: HostOptions;
  #hooks: HostHooks | undefined;
  #current: Running | undefined;
  #starting: Promise<Running> | undefined;
  #failures = 0;
  #notBefore = 0;
  #isStopping = false;
  /** What the kernel enforces of the process; known after the first start. */
  enforcement: Enforcement | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** The id of the process, if one runs. */
  get pid(): number | undefined {
    return this.#current?.process.pid;
  }

  /** Starts the process, if none runs. Rejects with BootError where it cannot be confined. */
  async start(): Promise<void> {
    await this.#running();
  }

  /** Sets the hooks of a runtime. A process that runs already is set up by the next `call`. */
  async attach(hooks: HostHooks): Promise<void> {
    this.#hooks = hooks;
    this.#isStopping = false;
    const running = await this.#running();
    await this.#setUp(running);
  }

  /**
   * Calls the plugin. Rejects with ApiError 504 past the time limit, which ends the process, and 503 where the process ends
   * before the answer or may not be started yet.
   */
  async call(name: string, value: unknown, numbered?: (call: number) => void): Promise<unknown> {
    return this.#limited(await this.#running(), name, value, this.#options.limits.timeoutMs, numbered);
  }

  /** Ends the process and forgets the hooks. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#hooks = undefined;
    this.#current?.process.kill("the server stopped it");
  }

  #running(): Promise<Running> {
    if (this.#current && !this.#starting) return Promise.resolve(this.#current);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<Running> {
    const { entry, limits, load, readable } = this.#options;
    if (Date.now() < this.#notBefore) throw this.#away();
    const running = this.#spawn(readable);
    try {
      const enforced = await running.process.enforcement;
      this.enforcement = enforced;
      if ("missing" in enforced && !limits.unenforced)
        throw new BootError(
          `Cannot isolate "${entry}": ${enforced.missing}. Set "unenforced": true in its "isolated" to run it all the same`,
        );
      this.#options.started(await this.#limited(running, "load", load, limits.startMs));
      if (this.#hooks) await this.#setUp(running);
      running.isStarting = false;
      return running;
    } catch (error) {
      running.process.kill("it could not be started");
      throw error;
    }
  }

  #spawn(readable: readonly string[]): Running {
    const { limits, answer } = this.#options;
    const child = new ConfinedProcess(
      { main: MAIN, readable, unenforced: limits.unenforced },
      { maxBytes: limits.memoryMb * BYTES_PER_MB, maxMessageBytes: limits.messageMb * BYTES_PER_MB },
      {
        receive: (message) => channel.receive(message),
        ended: (reason) => this.#ended(running, reason),
      },
    );
    const channel = new Channel((message) => child.send(message), answer, limits.calls * CALLS_MARGIN);
    const heartbeat = setInterval(() => {
      if (!running.isStarting) void this.#limited(running, "ping", null, limits.timeoutMs).catch(() => {});
    }, limits.timeoutMs).unref();
    const running: Running = { process: child, channel, since: Date.now(), heartbeat, isStarting: true, awaited: 0 };
    this.#current = running;
    return running;
  }

  async #setUp(running: Running): Promise<void> {
    const { startMs } = this.#options.limits;
    running.isStarting = true;
    await this.#hooks?.setUp((name, value) => this.#limited(running, name, value, startMs));
    running.isStarting = false;
  }

  async #limited(
    running: Running,
    name: string,
    value: unknown,
    timeoutMs: number,
    numbered?: (call: number) => void,
  ): Promise<unknown> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      running.process.kill(`it did not answer "${name}" within ${timeoutMs} ms`);
    }, timeoutMs);
    timer.unref();
    // A ping alone does not keep the server running.
    const counted = name !== "ping";
    if (counted && ++running.awaited === 1) running.process.keepAlive(true);
    try {
      return await running.channel.call(name, value, numbered ? { numbered } : {});
    } catch (error) {
      if (!isLate) throw error;
      throw Object.assign(localizedError(504, SLOW, { plugin: this.#options.entry }), {
        cause: new Error(`it did not answer "${name}" within ${timeoutMs} ms`),
      });
    } finally {
      clearTimeout(timer);
      if (counted && --running.awaited === 0) running.process.keepAlive(false);
    }
  }

  #ended(running: Running, reason: string): void {
    clearInterval(running.heartbeat);
    if (this.#current === running) this.#current = undefined;
    const away = this.#away();
    running.channel.close(Object.assign(away, { cause: new Error(reason) }));
    if (this.#isStopping) return;
    const { pauseMs } = this.#options.limits;
    this.#failures = Date.now() - running.since > SOUND_MS ? 1 : this.#failures + 1;
    // The first restart is at once; further ones wait 200 ms, 400 ms, 800 ms …
    const pause = this.#failures === 1 ? 0 : Math.min(pauseMs, FIRST_PAUSE_MS * 2 ** (this.#failures - 2));
    this.#notBefore = Date.now() + pause;
    this.#hooks?.ended(reason);
  }

  #away() {
    return localizedError(
      503,
      AWAY,
      { plugin: this.#options.entry },
      { headers: { "Retry-After": String(RETRY_AFTER_S) } },
    );
  }
}
