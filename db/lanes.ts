/**
 * Connections for transactions, each a postgres.js of its own with one connection.
 * postgres.js' reserve() is not used: it waits for a connection without any query under way, which under steady
 * pipelined reads never comes; and a reserved connection that breaks takes the process down with it. A lane that
 * loses its connection would silently go on in a new session without the transaction, so each loss is counted and
 * a session compares the count. Callers queue in order; who waits too long is told, since a transaction that asks
 * for another one outside itself would otherwise wait for ever.
 */
import type postgres from "postgres";
import { StoreError } from "./errors.ts";

/** One connection, and how many times it has been lost. */
export interface Lane {
  readonly sql: postgres.Sql;
  losses: number;
  readonly openedAt: number;
}

/** What lanes are made of; times in milliseconds. */
export interface LaneOptions {
  size: number;
  waitMs: number;
  maxAgeMs: number;
  /** What they are for, as one and as many: transactions by default. */
  use?: readonly [one: string, many: string];
  /** Opens postgres.js with one connection. */
  open(onLoss: () => void): postgres.Sql;
}

interface Waiter {
  resolve(lane: Lane): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

/** A first come, first served set of lanes. */
export class Lanes {
  readonly #options: LaneOptions;
  readonly #idle: Lane[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #all = new Set<Lane>();
  #ended = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** The next free lane. Throws StoreError after `waitMs`, and when the store is closed. */
  async take(): Promise<Lane> {
    if (this.#ended) throw closed();
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.size < this.#options.size) return this.#open();
    return await new Promise<Lane>((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(waiter), this.#options.waitMs);
      const waiter = { resolve, reject, timer };
      this.#waiting.push(waiter);
    });
  }

  /** Gives a lane back. `broken` when its session may still hold a transaction: it is then replaced. */
  give(lane: Lane, broken = false): void {
    let free = lane;
    if (broken || performance.now() - lane.openedAt > this.#options.maxAgeMs) {
      this.#all.delete(lane);
      void lane.sql.end({ timeout: 0 });
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
    await Promise.all([...this.#all].map((lane) => lane.sql.end({ timeout: timeoutMs / 1000 })));
  }

  #open(): Lane {
    const lane: Lane = {
      sql: this.#options.open(() => {
        lane.losses++;
      }),
      losses: 0,
      openedAt: performance.now(),
    };
    this.#all.add(lane);
    return lane;
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
