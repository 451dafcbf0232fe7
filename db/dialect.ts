/**
 * Kysely on postgres.js, thin on purpose. Outside a transaction a query goes straight to the pool, where postgres.js
 * pipelines it: no connection is set aside for it. A transaction, and a stream, take a lane for themselves, on
 * beginTransaction and not before. So `db.connection()` pins nothing: what needs one session needs a transaction.
 * Statements are prepared under their text; a statement with very many parameters is not, as each length of a list
 * would leave another one behind on the server (prefer `= any($1)`). A text without parameters that is no single
 * query goes as it is, so a migration may hold several statements.
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
import type postgres from "postgres";
import { StoreError } from "./errors.ts";
import type { Lane, Lanes } from "./lanes.ts";
import { outgoing } from "./values.ts";

/** Where queries go: `pool` for single statements, `lanes` for transactions and streams. */
export interface Ways {
  pool: postgres.Sql;
  lanes: Lanes;
  /** False behind a pooler that gives each statement another session. */
  prepare: boolean;
}

/** Ways by the adapter of the Kysely that was made over them; it survives `withPlugin`, unlike the Kysely itself. */
const WAYS = new WeakMap<object, Ways>();
const PREPARED_PARAMETERS_MAX = 100;
const ONE_QUERY = /^\s*(?:select|with|insert|update|delete|merge|values)\b[^;]*$/i;
const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** The dialect to give to `new Kysely`. Ending pool and lanes is left to whoever opened them. */
export function dialect(ways: Ways): Dialect {
  return {
    createAdapter() {
      const adapter = new PostgresAdapter();
      WAYS.set(adapter, ways);
      return adapter;
    },
    createDriver: () => driver(ways),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Runs a single statement on the pool of a Kysely that is no transaction; undefined where it is one, or not of ours. */
export function runOnPool<Row>(db: object, text: string, parameters: readonly unknown[]): Promise<Row[]> | undefined {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (kysely.isTransaction !== false) return undefined;
  const ways = WAYS.get(kysely.getExecutor?.().adapter ?? kysely);
  return ways && send(ways, ways.pool, text, parameters).then((result) => result.slice() as unknown as Row[]);
}

function driver(ways: Ways): Driver {
  const idle = async () => {};
  const session = (connection: DatabaseConnection) => connection as Session;
  return {
    init: idle,
    destroy: idle,
    acquireConnection: async () => new Session(ways),
    releaseConnection: async (connection) => session(connection).release(),
    beginTransaction: (connection, settings) => session(connection).begin(settings),
    commitTransaction: (connection) => session(connection).commit(),
    rollbackTransaction: (connection) => session(connection).rollback(),
    savepoint: (connection, name) => session(connection).command(`savepoint ${quoted(name)}`),
    rollbackToSavepoint: (connection, name) => session(connection).command(`rollback to savepoint ${quoted(name)}`),
    releaseSavepoint: (connection, name) => session(connection).command(`release savepoint ${quoted(name)}`),
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

class Session implements DatabaseConnection {
  readonly #ways: Ways;
  #lane: Lane | undefined;
  #losses = 0;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#send(this.#sql(), query.sql, query.parameters);
    const { command, count } = result;
    // Several statements in one text come back as a list of results, without a command of its own.
    if (command === undefined) return { rows: (result.at(-1) ?? []) as unknown as Row[] };
    // A plain array: what postgres.js gives carries the statement and the server's pid along.
    const rows = result.slice() as unknown as Row[];
    return WRITES.has(command) ? { rows, numAffectedRows: BigInt(count) } : { rows };
  }

  async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    const own = this.#lane ? undefined : await this.#ways.lanes.take();
    let finished = false;
    try {
      const pending = this.#send(own?.sql ?? this.#sql(), query.sql, query.parameters);
      for await (const rows of pending.cursor(chunkSize)) yield { rows: rows as unknown as Row[] };
      finished = true;
    } finally {
      if (own) this.#ways.lanes.give(own, !finished);
    }
  }

  async begin({ accessMode, isolationLevel }: TransactionSettings): Promise<void> {
    this.#lane = await this.#ways.lanes.take();
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(" ");
    const { losses } = this.#lane;
    await this.#lane.sql.unsafe(`begin ${modes}`);
    this.#losses = losses;
  }

  async commit(): Promise<void> {
    const result = await this.#send(this.#sql(), "commit", []);
    this.#leave(false);
    // Postgres answers COMMIT with ROLLBACK when a statement before it failed and was overlooked.
    if (result.command === "ROLLBACK") {
      throw new StoreError("Cannot commit: a statement of the transaction failed before, so everything was undone");
    }
  }

  async rollback(): Promise<void> {
    // A lost connection has rolled back already; the lane itself reconnects.
    if (this.#lane && this.#lane.losses === this.#losses) await this.command("rollback");
    this.#leave(false);
  }

  async command(text: string): Promise<void> {
    await this.#send(this.#sql(), text, []);
  }

  release(): void {
    this.#leave(true);
  }

  #leave(broken: boolean): void {
    const lane = this.#lane;
    this.#lane = undefined;
    if (lane) this.#ways.lanes.give(lane, broken);
  }

  #sql(): postgres.Sql {
    if (!this.#lane) return this.#ways.pool;
    if (this.#lane.losses === this.#losses) return this.#lane.sql;
    throw new StoreError("Cannot go on with the transaction: its connection was lost, and everything in it undone");
  }

  #send(sql: postgres.Sql, text: string, parameters: readonly unknown[]): postgres.PendingQuery<postgres.Row[]> {
    return send(this.#ways, sql, text, parameters);
  }
}

/** Sends one statement the way the store does: prepared under its text where that pays, values as the driver wants them. */
export function send(
  { prepare }: Pick<Ways, "prepare">,
  sql: postgres.Sql,
  text: string,
  parameters: readonly unknown[],
): postgres.PendingQuery<postgres.Row[]> {
  const { length } = parameters;
  const simple = length === 0 && !ONE_QUERY.test(text);
  const options = { simple, prepare: prepare && !simple && length <= PREPARED_PARAMETERS_MAX };
  return sql.unsafe(text, outgoing(sql, parameters), options);
}
