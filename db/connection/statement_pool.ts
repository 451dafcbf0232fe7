/**
 * A pool of connections for single statements. Statements are pipelined: several share a connection without waiting for
 * each other's answers.
 */
import { StoreUnavailable } from "../query/errors.ts";
import type { Connection } from "./connection.ts";
import type { Description, SentStatement, StatementResult } from "./connection_types.ts";
import { answerTimeoutFor, type PoolLoad } from "./limits.ts";

/** Options of the pool; times in milliseconds. */
export interface StatementPoolOptions {
  readonly size: number;
  readonly maxAgeMs: number;
  /** Time for running statements on a connection that is replaced by its age. */
  readonly closeTimeoutMs: number;
  /** Limit of a statement, 0 for none; called for each statement. */
  limitMs(): number;
  open(): Connection;
  /** A promise where a connection has to be awaited before its first statement; rejected where it is of no use. */
  ready?(connection: Connection): Promise<void> | undefined;
}

/** Shared connections, opened on demand. */
export class StatementPool {
  readonly #options: StatementPoolOptions;
  readonly #connections: Connection[] = [];
  #ended = false;

  constructor(options: StatementPoolOptions) {
    this.#options = options;
  }

  /**
   * Sends a statement over the connection with the fewest pending ones. `carried` is that of a plugin's role, for which the text
   * is a call. Throws as `sendAlone` does, and StoreUnavailable once closed.
   */
  async send(text: string, parameters: readonly unknown[], carried?: SentStatement): Promise<StatementResult> {
    if (this.#ended) throw new StoreUnavailable("Cannot query the store: it is closed");
    const connection = this.#leastLoaded();
    const readying = this.#options.ready?.(connection);
    if (readying) await readying;
    const limitMs = this.#options.limitMs();
    const answerTimeoutMs = answerTimeoutFor(limitMs);
    connection.limit(limitMs, answerTimeoutMs);
    return await connection.sendAlone(text, parameters, answerTimeoutMs, carried);
  }

  /** Describes a statement. Throws as `send` does. */
  async describe(text: string): Promise<Description> {
    if (this.#ended) throw new StoreUnavailable("Cannot query the store: it is closed");
    const connection = this.#leastLoaded();
    const limitMs = this.#options.limitMs();
    connection.limit(limitMs, answerTimeoutFor(limitMs));
    return await connection.describeAlone(text, answerTimeoutFor(limitMs));
  }

  /** Open connections and their pending statements; none waits for a connection, as statements are pipelined. */
  get load(): PoolLoad {
    const busy = this.#connections.reduce((sum, { load }) => sum + load, 0);
    return { connections: this.#connections.length, busy, waiting: 0 };
  }

  /** Ends all connections after their statements, at most `timeoutMs` later. */
  async end(timeoutMs: number): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#connections.map((connection) => connection.end(timeoutMs)));
  }

  #leastLoaded(): Connection {
    const { size, maxAgeMs, closeTimeoutMs, open } = this.#options;
    let free: Connection | undefined;
    for (let at = this.#connections.length - 1; at >= 0; at--) {
      const connection = this.#connections[at] as Connection;
      if (connection.isWornOut(maxAgeMs)) {
        this.#connections.splice(at, 1);
        if (!connection.isLost) void connection.end(closeTimeoutMs);
      } else if (!free || connection.load < free.load) free = connection;
    }
    if (free && (free.load === 0 || this.#connections.length >= size)) return free;
    const connection = open();
    this.#connections.push(connection);
    return connection;
  }
}
