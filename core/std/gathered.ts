/**
 * Work that follows something that comes often, such as writes: it runs a while after the first call, once for all that come until
 * then, and never twice at a time. It belongs to no request: not to its trace, nor to its user's writes. Before the server has started, as in
 * a command, it is only noted, and done once at the end.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** What is done, when, and what a failure is told to. */
export interface GatheredOptions {
  /** Milliseconds from the first call on. */
  readonly ms: number;
  run(): Promise<void>;
  onFailure(error: unknown): void;
}

/** Milliseconds until failed work is tried again. */
const RETRY_MS = 5_000;

/**
 * Work that is done for several calls at once.
 * @example
 * const onFailure = (error: unknown) => logRetried(context.log, "Cannot count notes", { error });
 * const counts = new Gathered({ ms: 1_000, run: async () => {}, onFailure });
 * context.onStart(() => counts.start());
 * context.onStop(() => counts.stop());
 * counts.soon();
 */
export class Gathered {
  readonly #options: GatheredOptions;
  readonly #outside = AsyncLocalStorage.snapshot();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: Promise<void> = Promise.resolve();
  #state: "noting" | "working" | "stopped" = "noting";
  #isNoted = false;

  constructor(options: GatheredOptions) {
    this.#options = options;
  }

  /** Begins to work, also on what was noted. */
  start(): void {
    this.#state = "working";
    if (this.#isNoted) this.soon();
  }

  /** Has the work done soon. */
  soon(): void {
    this.#isNoted = true;
    this.#in(this.#options.ms);
  }

  /** Begins no more and waits for what runs, and for what was only noted. */
  async stop(): Promise<void> {
    const isNoted = this.#state === "noting" && this.#isNoted;
    this.#state = "stopped";
    clearTimeout(this.#timer);
    if (isNoted) await this.#run();
    await this.#last;
  }

  #in(ms: number): void {
    if (this.#state !== "working") return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#last = this.#last.then(() => this.#outside(() => this.#run()));
    }, ms).unref();
  }

  async #run(): Promise<void> {
    const { run, onFailure } = this.#options;
    try {
      await run();
    } catch (error) {
      onFailure(error);
      this.#in(RETRY_MS);
    }
  }
}
