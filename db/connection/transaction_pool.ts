/**
 * A pool of connections that one caller has for itself for a while: for a transaction, or for a statement that may take long.
 * postgres.js' reserve() is not used: it waits for a connection without any query under way, which under steady
 * pipelined reads never comes; and a reserved connection that breaks takes the process down with it. A caller that waits too
 * long gets an error, since a transaction that asks for another one outside itself would otherwise wait for ever.
 *
 * Callers come by key, such as a user's id. Keys take turns, however many callers each of them has, and `perKey` leaves
 * connections to others even where one key would take them all.
 */
import { StoreUnavailable } from "../query/errors.ts";
import type { Connection } from "./connection.ts";

/** Options of the pool; times in milliseconds. */
export interface TransactionPoolOptions {
  size: number;
  /** How many of them one key may hold at a time; all by default. */
  perKey?: number;
  /** For a free one; asked anew for each caller. */
  waitMs(): number;
  maxAgeMs: number;
  /** What they are for, as one and as many: transactions by default. */
  use?: readonly [one: string, many: string];
  open(): Connection;
}

interface Waiter {
  readonly key: string;
  resolve(connection: Connection): void;
  reject(error: Error): void;
  /** Ends the timer, and listening to the signal. */
  settle(): void;
}

/** Connections that keys take in turns. */
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

  /**
   * The next free connection. Throws StoreUnavailable after `waitMs`, and when the store is closed; the signal's reason once the
   * caller has gone away.
   */
  async acquire(key = "", signal?: AbortSignal): Promise<Connection> {
    if (this.#ended) throw closed();
    signal?.throwIfAborted();
    const free = this.#mayTake(key) ? this.#free() : undefined;
    if (free) return this.#lend(free, key);
    return await new Promise<Connection>((resolve, reject) => {
      const waitMs = this.#options.waitMs();
      const timer = setTimeout(() => this.#giveUp(waiter, this.#busy(waitMs)), waitMs);
      const leave = () => this.#giveUp(waiter, signal?.reason as Error);
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

  /** Gives a connection back. `broken` when its session may still hold a transaction: it is then replaced. */
  release(connection: Connection, broken = false): void {
    this.#takeBack(connection);
    let free = connection;
    if (broken || connection.isLost || performance.now() - connection.openedAt > this.#options.maxAgeMs) {
      this.#all.delete(connection);
      if (!connection.isLost) void connection.end(0);
      if (this.#ended) return;
      free = this.#open();
    }
    const waiter = this.#next();
    if (!waiter) {
      this.#idle.push(free);
      return;
    }
    waiter.settle();
    waiter.resolve(this.#lend(free, waiter.key));
  }

  /** Ends every connection, letting what runs finish for `timeoutMs`; those who wait are refused. */
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
      if (!idle.isLost) return idle;
      this.#all.delete(idle);
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

  #lend(connection: Connection, key: string): Connection {
    this.#holders.set(connection, key);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return connection;
  }

  #takeBack(connection: Connection): void {
    const key = this.#holders.get(connection) ?? "";
    this.#holders.delete(connection);
    const left = (this.#held.get(key) ?? 1) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }

  /** The first caller of the key whose turn it is; the key then goes behind all others. */
  #next(): Waiter | undefined {
    for (const [key, queue] of this.#waiting) {
      if (!this.#mayTake(key)) continue;
      const waiter = queue.shift();
      this.#waiting.delete(key);
      if (queue.length > 0) this.#waiting.set(key, queue);
      return waiter;
    }
    return undefined;
  }

  #giveUp(waiter: Waiter, error: Error): void {
    const queue = (this.#waiting.get(waiter.key) ?? []).filter((one) => one !== waiter);
    if (queue.length > 0) this.#waiting.set(waiter.key, queue);
    else this.#waiting.delete(waiter.key);
    waiter.settle();
    waiter.reject(error);
  }

  #busy(waitMs: number): StoreUnavailable {
    const { size, use: [one, many] = ["a transaction", "transactions"] } = this.#options;
    return new StoreUnavailable(
      `Cannot begin ${one}: all ${size} connections for ${many} were busy for ${waitMs} ms, or as many of them as one user may have`,
    );
  }
}

function closed(): StoreUnavailable {
  return new StoreUnavailable("Cannot begin a transaction: the store is closed");
}
