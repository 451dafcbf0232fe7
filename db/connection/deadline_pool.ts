/**
 * A pool of connections for single statements that may take long, or must not: each has a connection of its own while it
 * runs, so nobody waits behind it, and the server ends it after its own limit. The shared pool (`statement_pool.ts`) pipelines, so
 * one slow statement there would hold up all that is sent after it. Used twice: for short polls (`Store.queryWithDeadline`), and
 * for searches, filtered listings, exports and jobs (`withSlowPool`), where users take turns.
 */
import type { Connection, StatementResult } from "./connection.ts";
import { answerTimeoutFor, type SlowQueryOptions } from "./limits.ts";
import { TransactionPool } from "./transaction_pool.ts";

/** What such a pool is made of; times in milliseconds. */
export interface DeadlinePoolOptions {
  readonly size: number;
  /** Connections that one key may have at a time. */
  readonly perKey?: number;
  /** For a connection to be free. */
  waitMs(): number;
  readonly maxAgeMs: number;
  /** What a statement is called, as one and as many. */
  readonly use: readonly [one: string, many: string];
  /** SQL that is sent first on each connection. */
  readonly session?: string;
  open(): Connection;
  /** How long the server may take to answer anything; 0 for ever. */
  answerMs(): number;
  /** Ends what a session of the server is doing. */
  cancel(pid: number): void;
}

const CANCEL_AGAIN_MS = 500;

/** Connections on which every statement has a limit, and is alone. */
export class DeadlinePool {
  readonly #connections: TransactionPool;
  readonly #options: DeadlinePoolOptions;

  constructor(options: DeadlinePoolOptions) {
    this.#connections = new TransactionPool({ ...options, open: () => opened(options) });
    this.#options = options;
  }

  /** Sends one statement. Throws 57014 where it took too long, StoreUnavailable where no connection was free in time. */
  async send(
    text: string,
    parameters: readonly unknown[],
    { key, limitMs, signal }: SlowQueryOptions,
  ): Promise<StatementResult> {
    const connection = await this.#connections.acquire(key, signal);
    let cancelling: ReturnType<typeof setInterval> | undefined;
    const cancel = () => {
      if (connection.pid !== undefined) this.#options.cancel(connection.pid);
    };
    const leave = () => {
      cancel();
      // A server that is just then waiting for the rest of a statement forgets the request.
      cancelling = setInterval(cancel, CANCEL_AGAIN_MS);
    };
    try {
      connection.limit(limitMs, answerTimeoutFor(this.#options.answerMs()));
      const answer = connection.sendWithRetry(text, parameters, answerTimeoutFor(limitMs));
      signal?.addEventListener("abort", leave, { once: true });
      return await answer;
    } finally {
      signal?.removeEventListener("abort", leave);
      clearInterval(cancelling);
      // A cancellation may arrive late, and must not meet the next statement.
      this.#connections.release(connection, cancelling !== undefined);
    }
  }

  /** Ends all connections, letting what runs finish for `timeoutMs`. */
  end(timeoutMs: number): Promise<void> {
    return this.#connections.end(timeoutMs);
  }
}

function opened({ session, answerMs, open }: DeadlinePoolOptions): Connection {
  const connection = open();
  if (session !== undefined)
    connection.send(session, [], answerTimeoutFor(answerMs())).catch(() => {
      // A connection that is lost here is lost to the statement that it was opened for, and that one says so.
    });
  return connection;
}
