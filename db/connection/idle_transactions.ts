/**
 * Ends open transactions in which nothing happens, and those that do not end. A transaction that never ends keeps its connection, and a
 * few of them keep all that the store has for transactions. PostgreSQL's own `idle_in_transaction_session_timeout` would end the session,
 * but not free the pool's place, since the code that holds it never learns of the loss.
 */
import type { Connection } from "./connection.ts";
import type { DialectPools } from "./dialect_pools.ts";

/** What limits the time of a transaction, and that of a stream. */
export interface IdleLimit {
  /** Milliseconds without a statement, or without a row that is read, after which it is ended; asked for at its begin. */
  limitMs(): number;
  /** Milliseconds after which it is ended, however many statements it sends or rows are read; asked for at its begin. */
  totalMs(): number;
  /** Why none may begin now; undefined where it may. */
  refusal(): Error | undefined;
  /** Is told why one, begun at this time of `Date.now()`, was ended. */
  onExpired(reason: string, began: number): void;
  /** Is told that one ended by itself. */
  onEnd(): void;
}

/** The limits of a store. */
export interface IdleLimits {
  readonly transaction: IdleLimit;
  /** Of streams outside of transactions, whose reader may wait for a client. */
  readonly stream: IdleLimit;
}

/** An open transaction, as it is watched. */
export interface WatchedTransaction {
  /** Whether a statement has no answer yet. */
  readonly isBusy: boolean;
  /** Statements that were sent. */
  readonly sent: number;
  /** Rolls back, frees the connection and refuses further statements, whose error says the reason. */
  expire(reason: string): void;
}

/** A stream outside of transactions, which holds a connection of its own until its reader comes to the end or leaves. */
class WatchedStream implements WatchedTransaction {
  readonly #connection: Connection;
  readonly #pools: DialectPools;
  /** Parts that were read. */
  sent = 0;
  /** Whether its connection was taken away. */
  isExpired = false;

  constructor(connection: Connection, pools: DialectPools) {
    this.#connection = connection;
    this.#pools = pools;
  }

  get isBusy(): boolean {
    return this.#connection.load > 0;
  }

  expire(reason: string): void {
    this.isExpired = true;
    takeAway(this.#connection, this.#pools, `The stream was ended. ${reason}`);
    this.#pools.transactions.release(this.#connection, true);
  }
}

interface Watched {
  readonly limit: IdleLimit;
  readonly limitMs: number;
  readonly totalMs: number;
  readonly began: number;
  sent: number;
  idleMs: number;
  openMs: number;
}

const STEP_MS = 250;
/** The code of the error of a statement whose transaction was ended. */
const ABORTED = "TRANSACTION_ABORTED";

const WATCHED = new Map<WatchedTransaction, Watched>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Watches a transaction from its begin. The time is counted in steps, so that a pause of the whole process does not count as idle time. */
export function watchIdle(transaction: WatchedTransaction, limit: IdleLimit): void {
  WATCHED.set(transaction, {
    limit,
    limitMs: limit.limitMs(),
    totalMs: limit.totalMs(),
    began: Date.now(),
    sent: transaction.sent,
    idleMs: 0,
    openMs: 0,
  });
  timer ??= setInterval(step, STEP_MS).unref();
}

/** Watches a stream outside of transactions, where `limit` is given. Once it is ended, `isExpired`, its connection is that of nobody. */
export function watchStream(
  connection: Connection,
  pools: DialectPools,
  limit: IdleLimit | undefined,
): WatchedStream | undefined {
  if (!limit) return undefined;
  const stream = new WatchedStream(connection, pools);
  watchIdle(stream, limit);
  return stream;
}

/** Drops a connection whose transaction or stream is ended, and cancels the statement that runs on it. */
export function takeAway(connection: Connection, pools: Pick<DialectPools, "cancel">, message: string): void {
  const { process } = connection;
  connection.drop(ABORTED, message);
  // The server does not notice the loss while the statement runs, which may hold locks.
  if (process) pools.cancel(process);
}

/** Ends the watch of a transaction that has ended. */
export function unwatchIdle(transaction: WatchedTransaction): void {
  WATCHED.get(transaction)?.limit.onEnd();
  forget(transaction);
}

function forget(transaction: WatchedTransaction): void {
  WATCHED.delete(transaction);
  if (WATCHED.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function step(): void {
  for (const [transaction, watched] of WATCHED) {
    if (transaction.isBusy || transaction.sent !== watched.sent) watched.idleMs = 0;
    else watched.idleMs += STEP_MS;
    watched.sent = transaction.sent;
    watched.openMs += STEP_MS;
    const reason = reasonToEnd(watched);
    if (reason === undefined) continue;
    forget(transaction);
    transaction.expire(reason);
    watched.limit.onExpired(reason, watched.began);
  }
}

function reasonToEnd({ idleMs, limitMs, openMs, totalMs }: Watched): string | undefined {
  if (idleMs >= limitMs) return `Nothing happened in it for ${idleMs} ms`;
  return openMs >= totalMs ? `It did not end within ${totalMs} ms` : undefined;
}
