/**
 * A pool of connections for single statements with a deadline. Each statement has a connection to itself, and the server
 * cancels it after its limit. The statement pool pipelines, so a slow statement would delay all behind it. Used twice: for
 * polls (`Store.queryWithDeadline`), and for searches, filtered listings, exports and jobs (`withSlowPool`), where users
 * take turns.
 */
import type { Connection } from "./connection.ts";
import type {
  Description,
  SentStatement,
  ServerProcess,
  SessionSettings,
  StatementResult,
} from "./connection_types.ts";
import { answerTimeoutFor, type PoolLoad, type SlowQueryOptions } from "./limits.ts";
import { TransactionPool } from "./transaction_pool.ts";

/** Options of the pool; times in milliseconds. */
export interface DeadlinePoolOptions {
  readonly size: number;
  /** Connections that one key may hold at a time. */
  readonly perKey?: number;
  /** Limit of the wait for a free connection. */
  waitMs(): number;
  readonly maxAgeMs: number;
  /** Names of a statement in messages, singular and plural. */
  readonly use: readonly [one: string, many: string];
  /** Settings of the sessions. */
  readonly session?: SessionSettings;
  open(): Connection;
  /** A promise where a connection has to be awaited before its first statement; rejected where it is of no use. */
  ready?(connection: Connection): Promise<void> | undefined;
  /** Is shown how many milliseconds a caller waited for a connection. */
  onWait?(ms: number): void;
  /** Limit of any answer of the server; 0 for none. */
  answerMs(): number;
  /** Cancels the statement of a server process. */
  cancel(process: ServerProcess): void;
}

const CANCEL_AGAIN_MS = 500;
/** The setting of sessions that have a plan made for all values once that is no dearer. */
const KEEPS_PLANS: SessionSettings = { plan_cache_mode: "auto" };

/** Connections on which each statement runs alone and has a limit. */
export class DeadlinePool {
  readonly #connections: TransactionPool;
  readonly #options: DeadlinePoolOptions;

  constructor(options: DeadlinePoolOptions) {
    this.#connections = new TransactionPool({ ...options, open: () => opened(options) });
    this.#options = options;
  }

  /** Sends a statement. Throws code 57014 beyond its limit, StoreUnavailable without a free connection in time. */
  async send(
    text: string,
    parameters: readonly unknown[],
    { key, limitMs, signal, keepsPlans = false, carried }: SlowQueryOptions & { readonly carried?: SentStatement },
  ): Promise<StatementResult> {
    const connection = await this.#connections.acquire(key, signal);
    let cancelling: ReturnType<typeof setInterval> | undefined;
    const cancel = () => {
      if (connection.process) this.#options.cancel(connection.process);
    };
    const leave = () => {
      cancel();
      // A server that waits for the rest of a statement ignores the request, so it is repeated.
      cancelling = setInterval(cancel, CANCEL_AGAIN_MS);
    };
    try {
      const readying = this.#options.ready?.(connection);
      if (readying) await readying;
      connection.limit(limitMs, answerTimeoutFor(this.#options.answerMs()));
      const { session } = this.#options;
      if (session)
        connection.configure(keepsPlans ? { ...session, ...KEEPS_PLANS } : session, answerTimeoutFor(limitMs));
      const answer = connection.sendAlone(text, parameters, answerTimeoutFor(limitMs), carried);
      signal?.addEventListener("abort", leave, { once: true });
      return await answer;
    } finally {
      signal?.removeEventListener("abort", leave);
      clearInterval(cancelling);
      // A late cancellation must not hit the next statement: the connection is replaced.
      this.#connections.release(connection, cancelling !== undefined);
    }
  }

  /** Describes a statement: it waits for tables that are locked, as the statement would. Throws as `send` does. */
  async describe(text: string, { key, limitMs, signal }: SlowQueryOptions): Promise<Description> {
    const connection = await this.#connections.acquire(key, signal);
    try {
      connection.limit(limitMs, answerTimeoutFor(this.#options.answerMs()));
      return await connection.describeAlone(text, answerTimeoutFor(limitMs));
    } finally {
      this.#connections.release(connection);
    }
  }

  /** Open connections, running statements and callers that wait. */
  get load(): PoolLoad {
    return this.#connections.load;
  }

  /** Ends all connections after their statements, at most `timeoutMs` later. */
  end(timeoutMs: number): Promise<void> {
    return this.#connections.end(timeoutMs);
  }
}

function opened({ session, answerMs, open }: DeadlinePoolOptions): Connection {
  const connection = open();
  if (session) connection.configure(session, answerTimeoutFor(answerMs()));
  return connection;
}
