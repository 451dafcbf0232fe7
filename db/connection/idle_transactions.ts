/**
 * Ends open transactions in which nothing happens. A transaction that never ends keeps its connection, and a few of them keep all
 * that the store has for transactions. PostgreSQL's own `idle_in_transaction_session_timeout` would end the session, but not free
 * the pool's place, since the code that holds it never learns of the loss.
 */

import type { Connection } from "./connection.ts";

/** What limits the time of a transaction without a statement, or that of a stream without a reader. */
export interface IdleLimit {
  /** Milliseconds without a statement after which it is ended; asked for at its begin. */
  limitMs(): number;
  /** Why none may begin now; undefined where it may. */
  refusal(): Error | undefined;
  /** Is told that one, begun at this time of `Date.now()`, was ended after so many milliseconds without a statement. */
  onExpired(idleMs: number, began: number): void;
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
  /** Rolls back, frees the connection and refuses further statements. */
  expire(): void;
}

/** A stream outside of transactions, which holds a connection of its own until its reader comes to the end or leaves. */
class WatchedStream implements WatchedTransaction {
  readonly #connection: Pick<Connection, "load" | "drop">;
  readonly #release: () => void;
  /** Parts that were read. */
  sent = 0;
  /** Whether its connection was taken away. */
  isExpired = false;

  /** `release` gives up the connection. */
  constructor(connection: Pick<Connection, "load" | "drop">, release: () => void) {
    this.#connection = connection;
    this.#release = release;
  }

  get isBusy(): boolean {
    return this.#connection.load > 0;
  }

  expire(): void {
    this.isExpired = true;
    this.#connection.drop(EXPIRED, "The stream was not read for longer than it may");
    this.#release();
  }
}

interface Watched {
  readonly limit: IdleLimit;
  readonly limitMs: number;
  readonly began: number;
  sent: number;
  idleMs: number;
}

const STEP_MS = 250;
/** The code of the error of a statement whose transaction was ended. */
const EXPIRED = "TRANSACTION_EXPIRED";

const WATCHED = new Map<WatchedTransaction, Watched>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Watches a transaction from its begin. The time is counted in steps, so that a pause of the whole process does not count as idle time. */
export function watchIdle(transaction: WatchedTransaction, limit: IdleLimit): void {
  WATCHED.set(transaction, { limit, limitMs: limit.limitMs(), began: Date.now(), sent: transaction.sent, idleMs: 0 });
  timer ??= setInterval(step, STEP_MS).unref();
}

/** Watches a stream outside of transactions, where `limit` is given; `release` gives up its connection. */
export function watchStream(
  connection: ConstructorParameters<typeof WatchedStream>[0],
  limit: IdleLimit | undefined,
  release: () => void,
): WatchedStream | undefined {
  if (!limit) return undefined;
  const stream = new WatchedStream(connection, release);
  watchIdle(stream, limit);
  return stream;
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
    if (watched.idleMs < watched.limitMs) continue;
    forget(transaction);
    transaction.expire();
    watched.limit.onExpired(watched.idleMs, watched.began);
  }
}
