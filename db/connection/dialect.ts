/**
 * Kysely on postgres.js, thin on purpose. Outside a transaction a query goes straight to the pool, where postgres.js
 * pipelines it: no connection is set aside for it. A transaction, and a stream, take a connection for themselves, on
 * beginTransaction and not before. So `db.connection()` pins nothing: what needs one session needs a transaction.
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

/** Where queries go: `statements` for single statements, `slow` for those within `withSlowPool`, `transactions` for transactions and streams. */
export interface DialectPools {
  statements: StatementPool;
  slow: DeadlinePool;
  transactions: TransactionPool;
  limits: StoreLimits;
}

/** Pools by the adapter of the Kysely that was made over them; it survives `withPlugin`, unlike the Kysely itself. */
const POOLS = new WeakMap<object, DialectPools>();
const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);
/** Bytes, about, that may be on their way unanswered: well below what any socket takes at once. */
const AHEAD_MAX = 16_384;
/** What a statement adds to them beside its values, so that there are never as many as the driver begins to hold back. */
const AHEAD_EACH = 512;

/** The dialect to give to `new Kysely`. Ending the pools is left to whoever opened them. */
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

/** Runs a single statement on the pool of a Kysely that is no transaction; undefined where it is one, or not of ours. */
export function runOnPool<Row>(db: object, text: string, parameters: readonly unknown[]): Promise<Row[]> | undefined {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (kysely.isTransaction !== false) return undefined;
  const pools = POOLS.get(kysely.getExecutor?.().adapter ?? kysely);
  return pools && single(pools, text, parameters).then((result) => result.slice() as unknown as Row[]);
}

/** Sends a single statement: over a pool of its own where it may take long. */
function single(pools: DialectPools, text: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const slow = currentSlowQuery();
  return slow ? pools.slow.send(text, parameters, slow) : pools.statements.send(text, parameters);
}

/** Sends a write of a transaction, which need not be answered yet; undefined where the Kysely is none. */
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

/** About how many bytes a value takes on its way. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, one: unknown) => sum + sizeOf(one), 0);
  return typeof value === "object" && value !== null ? AHEAD_MAX : Float64Array.BYTES_PER_ELEMENT;
}

class Session implements DatabaseConnection {
  readonly #pools: DialectPools;
  #connection: Connection | undefined;
  /** For an answer within the transaction. */
  #answerTimeoutMs = 0;
  /** What was sent without waiting: the last answer, the characters since the one before, and the first failure. */
  #last: Promise<void> | undefined;
  #ahead = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(pools: DialectPools) {
    this.#pools = pools;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#answered(
      this.#connection ? this.#sent(query.sql, query.parameters) : single(this.#pools, query.sql, query.parameters),
    );
    const { command, count } = result;
    // Several statements in one text come back as a list of results, without a command of its own.
    if (command === undefined) return { rows: (result.at(-1) ?? []) as unknown as Row[] };
    // A plain array: what postgres.js gives carries the statement and the server's pid along.
    const rows = result.slice() as unknown as Row[];
    return WRITES.has(command) ? { rows, numAffectedRows: BigInt(count) } : { rows };
  }

  /**
   * Sends a statement, and comes back as soon as the connection takes another one. It waits where the driver would: for a
   * statement new to the session, which is described first, and where much is on its way. What the driver held back
   * meanwhile would go to another session if this one broke, outside the transaction.
   */
  async write({ sql: text, parameters }: CompiledQuery): Promise<void> {
    const connection = this.#held();
    const isKnown = connection.hasPrepared(text);
    this.#ahead += AHEAD_EACH;
    for (const value of parameters) this.#ahead += sizeOf(value);
    this.#last = connection.send(text, parameters, this.#answerTimeoutMs).then(
      () => undefined,
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    if (!isKnown || this.#ahead >= AHEAD_MAX) await this.#settle();
  }

  async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    const own = this.#connection ? undefined : await this.#pools.transactions.acquire(currentSlowQuery()?.key);
    let finished = false;
    try {
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
    // Within the transaction, so that it holds behind a pooler too and no later one inherits it.
    const limit = limitMs > 0 ? `; set local statement_timeout = ${Math.round(limitMs)}` : "";
    await this.#connection.send(`begin ${modes}${limit}`, [], answerTimeoutFor(limits.statementMs));
  }

  async commit(): Promise<void> {
    const result = await this.#answered(this.#sent("commit", []));
    this.#leave(false);
    if (this.#failure) throw this.#failure.error;
    // Postgres answers COMMIT with ROLLBACK when a statement before it failed and was overlooked.
    if (result.command === "ROLLBACK") {
      throw new StoreError("Cannot commit: a statement of the transaction failed before, so everything was undone");
    }
  }

  async rollback(): Promise<void> {
    try {
      if (this.#connection && !this.#connection.isLost)
        await this.#connection.send("rollback", [], answerTimeoutFor(this.#pools.limits.statementMs));
    } catch (error) {
      // A lost connection has rolled back already.
      if (!this.#connection?.isLost) throw error;
    }
    this.#leave(false);
  }

  async command(text: string): Promise<void> {
    await this.#answered(this.#sent(text, []));
  }

  async rollbackTo(name: string): Promise<void> {
    await this.#sent(`rollback to savepoint ${quoted(name)}`, []);
    this.#failure = undefined;
  }

  release(): void {
    this.#leave(true);
  }

  /** Waits for what was sent. Throws its first failure. */
  async #settle(): Promise<void> {
    await this.#last;
    this.#ahead = 0;
    if (this.#failure) throw this.#failure.error;
  }

  /** Answers come in order; where a statement before this one failed, that is why this one did. */
  async #answered<Result>(answer: PromiseLike<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      throw this.#failure ? this.#failure.error : error;
    } finally {
      this.#ahead = 0;
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

  /** The connection of the transaction, which began on it. */
  #held(): Connection {
    if (this.#connection && !this.#connection.isLost) return this.#connection;
    throw new StoreUnavailable(
      "Cannot go on with the transaction: its connection was lost, and everything in it undone",
    );
  }
}
