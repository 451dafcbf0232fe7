/**
 * The semaphore of Lectern: bounds how much runs at once within one process, such as decoding images or making PDFs. It gives
 * permits in the order of the calls and knows no owners, who share permits fairly in `std/fair_queue.ts`; what several processes
 * must not do at once is locked in the store.
 */

import { waited } from "./waits.ts";

/** Who may wait for a permit. */
export interface SemaphoreQueue {
  /** Callers that may wait at a time. */
  readonly maxWaiting: number;
  /** Milliseconds that one may wait; without a limit if absent. */
  readonly waitMs?: number;
  /** The error of a caller that may not wait, or no longer. */
  busy(): Error;
}

/** Options of a semaphore. */
export interface SemaphoreOptions {
  /** What the permits are for, in snake_case: waits for them are among the metrics. They are not without a name. */
  readonly name?: string;
  /** Holders at a time. */
  readonly permits: number;
  /** What all holders together may weigh, such as bytes; without a limit if absent. */
  readonly maxWeight?: number;
  /** Any number of callers wait for ever if absent. */
  readonly queue?: SemaphoreQueue;
}

interface Waiter {
  readonly weight: number;
  resolve(): void;
}

/**
 * A weighted counting semaphore of one process: so many run at once, the others wait in the order of their calls. Something
 * that weighs more than all holders may is run alone.
 * @example
 * const busy = () => new ApiError(503, "Too many notes are being printed.");
 * const printing = new Semaphore({ name: "printing", permits: 2, queue: { maxWaiting: 20, busy } });
 * const printed = await printing.run(async () => new Response("a printed note"));
 */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting: Waiter[] = [];
  #held = 0;
  #weight = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /** Waits for a permit and resolves with the function that releases it. Rejects with the queue's `busy()`. */
  async acquire(weight = 0): Promise<() => void> {
    if (this.#waiting.length === 0 && this.#fits(weight)) this.#take(weight);
    else await this.#waitNamed(weight);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= 1;
      this.#weight -= weight;
      this.#next();
    };
  }

  /** Runs something while it holds a permit, which is released whether it succeeds or fails. */
  async run<R>(run: () => Promise<R>, weight = 0): Promise<R> {
    const release = await this.acquire(weight);
    try {
      return await run();
    } finally {
      release();
    }
  }

  #fits(weight: number): boolean {
    const { permits, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    return this.#held === 0 || (this.#held < permits && this.#weight + weight <= maxWeight);
  }

  #take(weight: number): void {
    this.#held += 1;
    this.#weight += weight;
  }

  async #waitNamed(weight: number): Promise<void> {
    const { name } = this.#options;
    const since = performance.now();
    try {
      await this.#wait(weight);
    } finally {
      if (name !== undefined) waited(name, since);
    }
  }

  #wait(weight: number): Promise<void> {
    const { queue } = this.#options;
    return new Promise((resolve, reject) => {
      if (queue && this.#waiting.length >= queue.maxWaiting) throw queue.busy();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const waiter: Waiter = {
        weight,
        resolve() {
          clearTimeout(timer);
          resolve();
        },
      };
      if (queue?.waitMs !== undefined)
        timer = setTimeout(() => {
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          reject(queue.busy());
          this.#next();
        }, queue.waitMs);
      this.#waiting.push(waiter);
    });
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#fits(first.weight); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(first.weight);
      first.resolve();
    }
  }
}
