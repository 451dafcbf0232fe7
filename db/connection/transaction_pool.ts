/**
 * A pool of connections that callers hold exclusively: for a transaction or a slow statement. reserve() of postgres.js is not
 * used: it waits for a connection without running queries, which never comes under steady pipelined reads, and a reserved
 * connection that breaks ends the process. The wait is limited, since a transaction that needs a second connection would
 * otherwise deadlock.
 *
 * Callers have a key, such as a user's id. Keys take turns, however many callers each has, and `perKey` bounds the
 * connections of one key.
 */

import { StoreUnavailable } from "../query/errors.ts";
import type { Connection } from "./connection.ts";
import type { PoolLoad } from "./limits.ts";

/** Options of the pool; times in milliseconds. */
export interface TransactionPoolOptions {
  size: number;
  /** Connections that one key may hold at a time; all by default. */
  perKey?: number;
  /** Limit of the wait for a free one; called for each caller. */
  waitMs(): number;
  maxAgeMs: number;
  /** The key of a caller that gives none; "" by default. */
  keyOf?(): string;
  /** Names of a use in messages, singular and plural: transactions by default. */
  use?: readonly [one: string, many: string];
  open(): Connection;
  /** Is shown how many milliseconds a caller waited, whether it got a connection or not. */
  onWait?(ms: number): void;
}

interface Waiter {
  readonly key: string;
  resolve(connection: Connection): void;
  reject(error: Error): void;
  /** Clears the timer and the listener of the signal. */
  settle(): void;
}

/** Connections that are held exclusively, with turns by key. */
export class TransactionPool {
  readonly #options: TransactionPoolOptions;
  readonly #idle: Connection[] = [];
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  readonly #all = new Set<Connection>();
  readonly #holders = new Map<Connection, string>();
  readonly #held = new Map<string, number>();
  #ended = false;

  constructor(options: TransactionPoolOptions) {
    this.#options = options;
  }

  /** Acquires a connection. Throws StoreUnavailable after `waitMs` and once closed; the signal's reason where it aborts. */
  async acquire(key = this.#options.keyOf?.() ?? "", signal?: AbortSignal): Promise<Connection> {
    if (this.#ended) throw closed();
    signal?.throwIfAborted();
    const free = this.#mayTake(key) ? this.#free() : undefined;
    if (free) return this.#hold(free, key);
    const since = performance.now();
    return await this.#wait(key, signal).finally(() => this.#options.onWait?.(performance.now() - since));
  }

  #wait(key: string, signal?: AbortSignal): Promise<Connection> {
    return new Promise<Connection>((resolve, reject) => {
      const waitMs = this.#options.waitMs();
      const timer = setTimeout(() => this.#reject(waiter, this.#busy(waitMs)), waitMs);
      const leave = () => this.#reject(waiter, signal?.reason as Error);
      signal?.addEventListener("abort", leave, { once: true });
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
      };
      const waiter: Waiter = { key, resolve, reject, settle };
      const queue = this.#waiting.get(key) ?? [];
      queue.push(waiter);
      this.#waiting.set(key, queue);
    });
  }

  /** Releases a connection; a `broken` one, whose session may still have an open transaction, is replaced. */
  release(connection: Connection, broken = false): void {
    this.#unhold(connection);
    let free = connection;
    if (broken || connection.isWornOut(this.#options.maxAgeMs)) {
      this.#all.delete(connection);
      if (!connection.isLost) void connection.end(0);
      if (this.#ended) return;
      free = this.#open();
    }
    const waiter = this.#nextWaiter();
    if (!waiter) {
      this.#idle.push(free);
      return;
    }
    waiter.settle();
    waiter.resolve(this.#hold(free, waiter.key));
  }

  /** Open connections, those that are held, and callers that wait. */
  get load(): PoolLoad {
    const waiting = [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
    return { connections: this.#all.size, busy: this.#holders.size, waiting };
  }

  /** Ends all connections after their statements, at most `timeoutMs` later; waiting callers are rejected. */
  async end(timeoutMs: number): Promise<void> {
    this.#ended = true;
    for (const waiter of [...this.#waiting.values()].flat()) {
      waiter.settle();
      waiter.reject(closed());
    }
    this.#waiting.clear();
    await Promise.all([...this.#all].map((connection) => connection.end(timeoutMs)));
  }

  #free(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (!idle.isWornOut(this.#options.maxAgeMs)) return idle;
      this.#all.delete(idle);
      if (!idle.isLost) void idle.end(0);
    }
    return this.#all.size < this.#options.size ? this.#open() : undefined;
  }

  #open(): Connection {
    const connection = this.#options.open();
    this.#all.add(connection);
    return connection;
  }

  #mayTake(key: string): boolean {
    return (this.#held.get(key) ?? 0) < (this.#options.perKey ?? this.#options.size);
  }

  #hold(connection: Connection, key: string): Connection {
    this.#holders.set(connection, key);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return connection;
  }

  #unhold(connection: Connection): void {
    const key = this.#holders.get(connection) ?? "";
    this.#holders.delete(connection);
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }

  /** The first caller of the next key in turn, which then moves behind all others. */
  #nextWaiter(): Waiter | undefined {
    for (const [key, queue] of this.#waiting) {
      if (!this.#mayTake(key)) continue;
      const waiter = queue.shift();
      this.#waiting.delete(key);
      if (queue.length > 0) this.#waiting.set(key, queue);
      return waiter;
    }
    return undefined;
  }

  #reject(waiter: Waiter, error: Error): void {
    const queue = (this.#waiting.get(waiter.key) ?? []).filter((one) => one !== waiter);
    if (queue.length > 0) this.#waiting.set(waiter.key, queue);
    else this.#waiting.delete(waiter.key);
    waiter.settle();
    waiter.reject(error);
  }

  #busy(waitMs: number): StoreUnavailable {
    const { size, use: [one, many] = ["a transaction", "transactions"] } = this.#options;
    return new StoreUnavailable(
      `Cannot begin ${one}: all ${size} connections for ${many}, or all that one user may hold, were busy for ${waitMs} ms`,
    );
  }
}

function closed(): StoreUnavailable {
  return new StoreUnavailable("Cannot begin a transaction: the store is closed");
}
