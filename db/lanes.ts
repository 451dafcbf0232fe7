/**
 * Lines for transactions, each one's own while it lasts.
 * postgres.js' reserve() is not used: it waits for a connection without any query under way, which under steady
 * pipelined reads never comes; and a reserved connection that breaks takes the process down with it. Callers queue in
 * order; who waits too long is told, since a transaction that asks for another one outside itself would otherwise wait
 * for ever.
 */
import { StoreError } from "./errors.ts";
import type { Line } from "./line.ts";

/** What lanes are made of; times in milliseconds. */
export interface LaneOptions {
  size: number;
  waitMs: number;
  maxAgeMs: number;
  /** What they are for, as one and as many: transactions by default. */
  use?: readonly [one: string, many: string];
  open(): Line;
}

interface Waiter {
  resolve(lane: Line): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

/** A first come, first served set of lines. */
export class Lanes {
  readonly #options: LaneOptions;
  readonly #idle: Line[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #all = new Set<Line>();
  #ended = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** The next free lane. Throws StoreError after `waitMs`, and when the store is closed. */
  async take(): Promise<Line> {
    if (this.#ended) throw closed();
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.isLost) return idle;
      this.#all.delete(idle);
    }
    if (this.#all.size < this.#options.size) return this.#open();
    return await new Promise<Line>((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiter), this.#options.waitMs);
      const waiter = { resolve, reject, timer };
      this.#waiting.push(waiter);
    });
  }

  /** Gives a lane back. `broken` when its session may still hold a transaction: it is then replaced. */
  give(lane: Line, broken = false): void {
    let free = lane;
    if (broken || lane.isLost || performance.now() - lane.openedAt > this.#options.maxAgeMs) {
      this.#all.delete(lane);
      if (!lane.isLost) void lane.end(0);
      if (this.#ended) return;
      free = this.#open();
    }
    const waiter = this.#waiting.shift();
    if (!waiter) {
      this.#idle.push(free);
      return;
    }
    clearTimeout(waiter.timer);
    waiter.resolve(free);
  }

  /** Ends every lane, letting what runs finish for `timeoutMs`; those who wait are refused. */
  async end(timeoutMs: number): Promise<void> {
    this.#ended = true;
    for (const waiter of this.#waiting.splice(0)) {
      clearTimeout(waiter.timer);
      waiter.reject(closed());
    }
    await Promise.all([...this.#all].map((lane) => lane.end(timeoutMs)));
  }

  #open(): Line {
    const line = this.#options.open();
    this.#all.add(line);
    return line;
  }

  #giveUp(waiter: Waiter): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    const { size, waitMs, use: [one, many] = ["a transaction", "transactions"] } = this.#options;
    waiter.reject(
      new StoreError(`Cannot begin ${one}: all ${size} connections for ${many} were busy for ${waitMs} ms`),
    );
  }
}

function closed(): StoreError {
  return new StoreError("Cannot begin a transaction: the store is closed");
}
