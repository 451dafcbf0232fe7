/**
 * Where the statements of a Kysely go that are not built with it: prepared ones and templates. Its dialect says how they are run outside of
 * transactions; within one they go over its connection.
 */
import type { CompiledQuery, DatabaseConnection, Kysely } from "kysely";

/** A column of the rows of a statement; `type` is an oid of pg_type. */
export interface ResultColumn {
  readonly name: string;
  readonly type: number;
}

/** How statements run outside of transactions. */
export interface StatementRoute {
  /** Runs a statement. Resolves with its rows. */
  run(text: string, parameters: readonly unknown[]): Promise<unknown[]>;
  /** The columns of a statement, which is not run; undefined within a call of an open transaction. */
  describe(text: string): Promise<readonly ResultColumn[]> | undefined;
}

/** By the adapter of a Kysely, which survives `withPlugin`, unlike the Kysely itself. */
const ROUTES = new WeakMap<object, StatementRoute>();

/** Says how statements of the Kysely with this adapter run. */
export function routeStatements(adapter: object, route: StatementRoute): void {
  ROUTES.set(adapter, route);
}

/** Runs a statement on the pools of a Kysely; undefined for a transaction or a Kysely of another dialect. */
export function runOnPool<Row>(db: object, text: string, parameters: readonly unknown[]): Promise<Row[]> | undefined {
  // The rows of a statement have the type that its sender gives them.
  return routeOf(db)?.run(text, parameters) as Promise<Row[]> | undefined;
}

/** The columns of a statement, as `StatementRoute.describe` says them; undefined also for a transaction. */
export function describeOnPool(db: object, text: string): Promise<readonly ResultColumn[]> | undefined {
  return routeOf(db)?.describe(text);
}

/** Undefined for a transaction or a Kysely of another dialect. */
function routeOf(db: object): StatementRoute | undefined {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (kysely.isTransaction !== false) return undefined;
  return ROUTES.get(kysely.getExecutor?.().adapter ?? kysely);
}

/** A connection of a transaction that sends writes ahead. */
interface WritesAhead extends DatabaseConnection {
  /** Sends a statement without awaiting its answer: the next one or the commit throws its failure. */
  write(query: CompiledQuery): Promise<void>;
}

/** Sends a write within a transaction without awaiting its answer; undefined outside transactions. */
export function writeAhead(db: object, query: CompiledQuery): Promise<void> | undefined {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (!kysely.isTransaction) return undefined;
  return kysely.getExecutor?.().provideConnection(async (connection) => {
    if (writesAhead(connection)) await connection.write(query);
    else await connection.executeQuery(query);
  });
}

function writesAhead(connection: DatabaseConnection): connection is WritesAhead {
  return "write" in connection && typeof connection.write === "function";
}
