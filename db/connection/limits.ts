/** Time limits of statements, and the scope of `withSlowPool`. */
import { AsyncLocalStorage } from "node:async_hooks";

/** Limits of a store; times in milliseconds. */
export interface StoreLimits {
  /** For a statement outside transactions, the begin of a transaction, and connecting; 0 for none. */
  readonly statementMs: number;
  /** For each statement of a transaction and its commit; 0 for none. */
  readonly writeMs: number;
  /** For the wait for a connection of the transaction pool or the slow pool. */
  readonly waitMs: number;
  /** Who asks for a transaction, such as a user: those that wait for a connection take turns by this. */
  readonly ownerOf?: () => string;
}

/** Options of `withSlowPool`. */
export interface SlowQueryOptions {
  /** Keys take turns; such as a user's id. */
  readonly key: string;
  /** Milliseconds after which the server cancels a statement; 0 for never. */
  readonly limitMs: number;
  /** Cancels the statement, or the wait for a connection, when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the server may use one plan of a statement for all values: for reads of few rows, which planning would take longer for than
   * the rows. False by default, since the best plan of a slow read depends on its values.
   */
  readonly keepsPlans?: boolean | undefined;
}

/** Milliseconds beyond the server's own limit before a connection without an answer is dropped. */
const ANSWER_GRACE_MS = 500;

const RUNS = new AsyncLocalStorage<SlowQueryOptions>();

/**
 * Runs `run` with its statements in the slow pool, where users take turns: for reads that may take more than a few
 * milliseconds. Its transactions get the same limit. A statement fails with code 57014 where the server cancelled it, and with
 * StoreUnavailable where no connection became free in time.
 * @example
 * const found = await withSlowPool({ key: String(viewer.id), limitMs: 10_000 }, () =>
 *   rows(db, sql<{ id: number }>`select id from notes where text ~ 'a+b'`),
 * );
 */
export function withSlowPool<T>(slow: SlowQueryOptions, run: () => T): T {
  return RUNS.run(slow, run);
}

/** The options of the current `withSlowPool`; undefined outside of it. */
export function currentSlowQuery(): SlowQueryOptions | undefined {
  return RUNS.getStore();
}

/** Milliseconds after which a statement with this limit counts as unanswered; 0 for never. */
export function answerTimeoutFor(limitMs: number): number {
  return limitMs > 0 ? limitMs + ANSWER_GRACE_MS : 0;
}

/** Of one pool: connections that are open, statements or callers on them, and callers that wait for a connection. */
export interface PoolLoad {
  readonly connections: number;
  readonly busy: number;
  readonly waiting: number;
}
