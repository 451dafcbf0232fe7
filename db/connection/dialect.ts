/**
 * The Kysely dialect for the pools. Outside transactions a query goes to the statement pool, which pipelines it: no
 * connection is reserved. A transaction takes a connection at beginTransaction, a stream at its start. So `db.connection()`
 * reserves nothing: statements that need one session need a transaction.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { StoreError, StoreUnavailable } from "../query/errors.ts";
import type { Connection, StatementResult } from "./connection.ts";
import type { DeadlinePool } from "./deadline_pool.ts";
import { answerTimeoutFor, currentSlowQuery, type StoreLimits } from "./limits.ts";
import type { StatementPool } from "./statement_pool.ts";
import type { TransactionPool } from "./transaction_pool.ts";

/** The pools of a store: for single statements, for those within `withSlowPool`, for transactions and streams. */
export interface DialectPools {
  statements: StatementPool;
  slow: DeadlinePool;
  transactions: TransactionPool;
  limits: StoreLimits;
}

/** Pools by the adapter of their Kysely, which survives `withPlugin`, unlike the Kysely itself. */
const POOLS = new WeakMap<object, DialectPools>();
const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);
const READ = /^select\b/i;
/** Approximate bytes of unanswered writes: well below what a socket buffers. */
const MAX_UNANSWERED_BYTES = 16_384;
/** Bytes that a statement counts beside its values, so that postgres.js never begins to queue. */
const BYTES_PER_STATEMENT = 512;

/** The dialect for `new Kysely`; it does not end the pools. */
export function dialect(pools: DialectPools): Dialect {
  return {
    createAdapter() {
      const adapter = new PostgresAdapter();
      POOLS.set(adapter, pools);
      return adapter;
    },
    createDriver: () => driver(pools),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Runs a statement on the pools of a Kysely; undefined for a transaction or a Kysely of another dialect. */
export function runOnPool<Row>(db: object, text: string, parameters: readonly unknown[]): Promise<Row[]> | undefined {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (kysely.isTransaction !== false) return undefined;
  const pools = POOLS.get(kysely.getExecutor?.().adapter ?? kysely);
  return pools && sendSingle(pools, text, parameters).then((result) => result.slice() as unknown as Row[]);
}

/** Sends a statement outside transactions, over the slow pool within `withSlowPool`. */
function sendSingle(pools: DialectPools, text: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const slow = currentSlowQuery();
  return slow ? pools.slow.send(text, parameters, slow) : pools.statements.send(text, parameters);
}

/** Sends a write within a transaction without awaiting its answer; undefined outside transactions. */
export function writeAhead(db: object, query: CompiledQuery): Promise<void> | undefined {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (!kysely.isTransaction) return undefined;
  return kysely.getExecutor?.().provideConnection(async (connection) => {
    if (connection instanceof Session) await connection.write(query);
    else await connection.executeQuery(query);
  });
}

function driver(pools: DialectPools): Driver {
  const idle = async () => {};
  const session = (connection: DatabaseConnection) => connection as Session;
  return {
    init: idle,
    destroy: idle,
    acquireConnection: async () => new Session(pools),
    releaseConnection: async (connection) => session(connection).release(),
    beginTransaction: (connection, settings) => session(connection).begin(settings),
    commitTransaction: (connection) => session(connection).commit(),
    rollbackTransaction: (connection) => session(connection).rollback(),
    savepoint: (connection, name) => session(connection).command(`savepoint ${quoted(name)}`),
    rollbackToSavepoint: (connection, name) => session(connection).rollbackTo(name),
    releaseSavepoint: (connection, name) => session(connection).command(`release savepoint ${quoted(name)}`),
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The approximate size of a value in bytes. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, one: unknown) => sum + sizeOf(one), 0);
  return typeof value === "object" && value !== null ? MAX_UNANSWERED_BYTES : Float64Array.BYTES_PER_ELEMENT;
}

class Session implements DatabaseConnection {
  readonly #pools: DialectPools;
  #connection: Connection | undefined;
  /** The limit of answers within the transaction. */
  #answerTimeoutMs = 0;
  /** The answer of `begin`, until it is known to be there. */
  #beginning: Promise<unknown> | undefined;
  /** Unanswered writes: the last answer, the bytes since the previous answer, and the first failure. */
  #last: Promise<void> | undefined;
  #unanswered = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(pools: DialectPools) {
    this.#pools = pools;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#answered(
      this.#connection
        ? this.#sentWithBegin(query.sql, query.parameters)
        : sendSingle(this.#pools, query.sql, query.parameters),
    );
    const { command, count } = result;
    // Several statements in one text return a list of results without a command.
    if (command === undefined) return { rows: (result.at(-1) ?? []) as unknown as Row[] };
    // A plain array: that of postgres.js refers to the statement.
    const rows = result.slice() as unknown as Row[];
    return WRITES.has(command) ? { rows, numAffectedRows: BigInt(count) } : { rows };
  }

  /**
   * Sends a statement and resolves as soon as the connection takes another one. It waits for the answer where postgres.js would
   * queue further statements: the first time on a session, when the statement is described, and with many bytes
   * unanswered. A queued statement would go to another session, outside the transaction, if this connection broke.
   */
  async write({ sql: text, parameters }: CompiledQuery): Promise<void> {
    await this.#begun();
    const connection = this.#held();
    const isKnown = connection.hasPrepared(text);
    this.#unanswered += BYTES_PER_STATEMENT;
    for (const value of parameters) this.#unanswered += sizeOf(value);
    this.#last = connection.send(text, parameters, this.#answerTimeoutMs).then(
      () => undefined,
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    if (!isKnown || this.#unanswered >= MAX_UNANSWERED_BYTES) await this.#settle();
  }

  async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    const own = this.#connection ? undefined : await this.#pools.transactions.acquire(currentSlowQuery()?.key);
    let finished = false;
    try {
      await this.#begun();
      await this.#settle();
      const connection = own ?? this.#held();
      for await (const rows of connection.stream(query.sql, query.parameters, chunkSize, this.#answerTimeoutMs))
        yield { rows: rows as unknown as Row[] };
      finished = true;
    } finally {
      if (own) this.#pools.transactions.release(own, !finished);
    }
  }

  async begin({ accessMode, isolationLevel }: TransactionSettings): Promise<void> {
    const { transactions, limits } = this.#pools;
    const slow = currentSlowQuery();
    this.#connection = await transactions.acquire(slow?.key);
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(" ");
    const limitMs = slow?.limitMs ?? limits.writeMs;
    this.#answerTimeoutMs = answerTimeoutFor(limitMs);
    // Local to the transaction: it works behind a pooler, and no later transaction inherits it.
    const limit = limitMs > 0 ? `; set local statement_timeout = ${Math.round(limitMs)}` : "";
    this.#beginning = this.#connection.send(`begin ${modes}${limit}`, [], answerTimeoutFor(limits.statementMs));
    // Awaited with the first statement, or before it; a rejection in between is not unhandled.
    this.#beginning.catch(() => {});
  }

  async commit(): Promise<void> {
    await this.#begun();
    const result = await this.#answered(this.#sent("commit", []));
    this.#leave(false);
    if (this.#failure) throw this.#failure.error;
    // PostgreSQL answers COMMIT with ROLLBACK where the error of a statement was ignored.
    if (result.command === "ROLLBACK") {
      throw new StoreError("Cannot commit: a statement of the transaction failed, so the transaction was rolled back");
    }
  }

  async rollback(): Promise<void> {
    try {
      if (this.#connection && !this.#connection.isLost)
        await this.#connection.send("rollback", [], answerTimeoutFor(this.#pools.limits.statementMs));
    } catch (error) {
      // The server rolls back on a lost connection.
      if (!this.#connection?.isLost) throw error;
    }
    this.#leave(false);
  }

  async command(text: string): Promise<void> {
    await this.#begun();
    await this.#answered(this.#sent(text, []));
  }

  async rollbackTo(name: string): Promise<void> {
    await this.#sent(`rollback to savepoint ${quoted(name)}`, []);
    this.#failure = undefined;
  }

  release(): void {
    this.#leave(true);
  }

  /** Awaits the answer of `begin`. Throws its failure. */
  async #begun(): Promise<void> {
    const beginning = this.#beginning;
    this.#beginning = undefined;
    await beginning;
  }

  /**
   * Sends a statement. The first one of a transaction is pipelined behind `begin` where it is a select that the session knows:
   * it changes nothing if `begin` fails. Throws the failure of `begin` first.
   */
  async #sentWithBegin(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    if (!this.#beginning || !READ.test(text) || !this.#held().hasPrepared(text)) {
      await this.#begun();
      return this.#sent(text, parameters);
    }
    const answer = this.#sent(text, parameters);
    answer.catch(() => {});
    await this.#begun();
    return answer;
  }

  /** Awaits the unanswered writes. Throws their first failure. */
  async #settle(): Promise<void> {
    await this.#last;
    this.#unanswered = 0;
    if (this.#failure) throw this.#failure.error;
  }

  /** Throws the first failure of a write instead of the error that follows from it. */
  async #answered<Result>(answer: PromiseLike<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      throw this.#failure ? this.#failure.error : error;
    } finally {
      this.#unanswered = 0;
    }
  }

  #leave(broken: boolean): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#pools.transactions.release(connection, broken);
  }

  #sent(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return this.#held().send(text, parameters, this.#answerTimeoutMs);
  }

  /** The connection of the open transaction. */
  #held(): Connection {
    if (this.#connection && !this.#connection.isLost) return this.#connection;
    throw new StoreUnavailable(
      "Cannot continue the transaction: its connection was lost, and the transaction was rolled back",
    );
  }
}
