/** How long statements may take, and how those that may take long are told from the rest. */
import { AsyncLocalStorage } from "node:async_hooks";

/** How long the store may take, in milliseconds. */
export interface StoreLimits {
  /** For a quick statement, the begin of a transaction, a connection to be made; 0 for ever. */
  readonly statementMs: number;
  /** For each statement of a transaction, its commit included; 0 for ever. */
  readonly writeMs: number;
  /** For a connection to be free, for a transaction or for what may take long. */
  readonly waitMs: number;
}

/** How statements that may take long are run. */
export interface SlowQueryOptions {
  /** Whose turn it is, such as a user's id. */
  readonly key: string;
  /** After which the server ends a statement, in milliseconds; 0 for never. */
  readonly limitMs: number;
  /** Ends the statement, or the waiting for a connection, when the caller has gone away. */
  readonly signal?: AbortSignal | undefined;
}

/** Beyond a server's own limit, before a connection without an answer is given up; in milliseconds. */
const ANSWER_GRACE_MS = 500;

const RUNS = new AsyncLocalStorage<SlowQueryOptions>();

/**
 * Runs `run` with every single statement in it on connections apart, where users take turns: for what can cost more than a
 * few milliseconds. Its transactions get the same limit. Statements fail with code 57014 when the server ended them, and with
 * StoreUnavailable when no connection became free in time.
 * @example
 * const found = await withSlowPool({ key: String(viewer.id), limitMs: 10_000 }, () =>
 *   rows(db, sql<{ id: number }>`select id from notes where text ~ 'a+b'`),
 * );
 */
export function withSlowPool<T>(slow: SlowQueryOptions, run: () => T): T {
  return RUNS.run(slow, run);
}

/** How statements are run here, where that is `withSlowPool`. */
export function currentSlowQuery(): SlowQueryOptions | undefined {
  return RUNS.getStore();
}

/** How long a connection may go without an answer to a statement with that limit; 0 for ever. */
export function answerTimeoutFor(limitMs: number): number {
  return limitMs > 0 ? limitMs + ANSWER_GRACE_MS : 0;
}
