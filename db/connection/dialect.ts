/**
 * The Kysely dialect for the pools. Outside transactions a query goes to the statement pool, which pipelines it: no
 * connection is reserved. A transaction takes a connection at beginTransaction, a stream at its start. So `db.connection()`
 * reserves nothing: statements that need one session need a transaction. Within `withinTransaction` all of them go over its connection.
 */

import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  Transaction,
} from "kysely";
import { ident } from "../query/quoting.ts";
import { routeStatements } from "../query/routes.ts";
import type { Tables } from "../query/tables.ts";
import type { Description } from "./connection_types.ts";
import type { DialectPools } from "./dialect_pools.ts";
import type { EnforcedRole } from "./enforced_role.ts";
import type { IdleLimits } from "./idle_transactions.ts";
import { type JoinedOutcome, JoinedSession, joinedSession, joining } from "./joined.ts";
import { RoleSession, SESSIONS } from "./role_session.ts";
import { Session } from "./session.ts";
import { routed, runAs, senderOf, sendSingle } from "./single_statements.ts";

/** The pools of a Kysely, by its adapter. */
const POOLS = new WeakMap<object, DialectPools>();

/**
 * The dialect for `new Kysely`; it does not end the pools. With a role, all its statements run as that role. `idle` limits its
 * transactions.
 */
export function dialect(pools: DialectPools, role?: EnforcedRole, idle?: IdleLimits): Dialect {
  return {
    createAdapter() {
      const adapter = new PostgresAdapter();
      POOLS.set(adapter, pools);
      routeStatements(adapter, {
        run: (text, parameters) => runOver(pools, role, text, parameters),
        describe: (text) => (joinedSession(pools, role) ? undefined : columnsOf(pools, role, text)),
      });
      return adapter;
    },
    createDriver: () => driver(pools, role, idle),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Runs a statement outside of transactions, as the account or as a role. Returns its rows. */
async function runOver(
  pools: DialectPools,
  role: EnforcedRole | undefined,
  text: string,
  parameters: readonly unknown[],
): Promise<unknown[]> {
  const joined = joinedSession(pools, role);
  if (joined) return (await joined.executeQuery<unknown>(CompiledQuery.raw(text, [...parameters]))).rows;
  if (role) return (await routed(pools, text, (some) => runAs(role, senderOf(some), text, parameters))).rows;
  return (await routed(pools, text, (some) => sendSingle(some, text, parameters))).slice();
}

async function columnsOf(
  pools: DialectPools,
  role: EnforcedRole | undefined,
  text: string,
): Promise<Description["columns"]> {
  const sender = senderOf(pools);
  return (await (role ? role.describe(sender, text) : sender.describe(text))).columns;
}

/**
 * Runs a call within an open transaction (`joined.ts`): all statements that it sends to the pools of this store go over the connection
 * of the transaction. What it wrote stays only if it says so, and if no transaction of its own was rolled back; else the transaction
 * goes back to the state before the call. Calls of one transaction run one after the other. Throws what the call throws.
 * @example
 * await db.transaction().execute(async (tx) => {
 *   await rows(tx, sql`insert into notes (text) values ('new')`);
 *   const { result } = await withinTransaction(tx, async () => {
 *     const [found] = await rows(db, sql<{ total: number }>`select count(*)::integer as total from notes`);
 *     return { result: found?.total, isKept: true };
 *   });
 * });
 */
export async function withinTransaction<R>(
  tx: object,
  call: () => Promise<JoinedOutcome<R>>,
): Promise<JoinedOutcome<R>> {
  const kysely = tx as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  const executor = kysely.isTransaction ? kysely.getExecutor?.() : undefined;
  const pools = executor && POOLS.get(executor.adapter);
  const session = await executor?.provideConnection(async (connection) => SESSIONS.get(connection) ?? connection);
  if (!pools || !(session instanceof Session)) throw new TypeError("Cannot join a transaction: it is not of a store");
  return joining(session, pools, call);
}

/**
 * Says that an open transaction changes who may see what, such as permissions, roles or users: replicas of DATABASE_READ_URLS
 * serve no reader who asks after its commit before they have replayed it. `forget` of a cache says so too.
 * @example
 * await db.transaction().execute(async (tx) => {
 *   await changesAccess(tx);
 *   await rows(tx, sql`delete from note_readers where note_id = ${1}`);
 * });
 */
export async function changesAccess(db: object): Promise<void> {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (!kysely.isTransaction) return;
  await kysely.getExecutor?.().provideConnection(async (connection) => {
    const session = SESSIONS.get(connection) ?? connection;
    if (session instanceof Session) session.changesAccess();
  });
}

/** The same store, whose statements run as a role. */
export interface RoleStore {
  readonly db: Kysely<Tables>;
  /** An open transaction of the store, whose further statements run as the role. */
  within(tx: Kysely<Tables>): Kysely<Tables>;
}

/** Makes the store of a role; `idle` limits the transactions that it begins. */
export function storeAs(pools: DialectPools, role: EnforcedRole, idle?: IdleLimits): RoleStore {
  const own = dialect(pools, role, idle);
  const db = new Kysely<Tables>({ dialect: own });
  return {
    db,
    within(tx) {
      const root = tx.getExecutor();
      // From the executor of the role, since that of the store would lead back to its pools.
      const executor = db.getExecutor().withConnectionProvider({
        provideConnection: (consumer) => root.provideConnection((connection) => consumer(asRole(connection, role))),
      });
      // What a transaction needs beside its executor serves `transaction()`, which it refuses.
      return new Transaction<Tables>({ config: { dialect: own }, driver: own.createDriver(), dialect: own, executor });
    },
  };
}

/** An open transaction of a store, whose further statements run as a role. */
export function withinAs(tx: Kysely<Tables>, role: EnforcedRole): Kysely<Tables> {
  const pools = POOLS.get(tx.getExecutor().adapter);
  if (!pools) throw new TypeError("Cannot run statements as a role: the transaction is not of a store");
  return storeAs(pools, role).within(tx);
}

/** Throws for a connection that is not of `dialect`: its statements would run with all rights. */
function asRole(connection: DatabaseConnection, role: EnforcedRole): RoleSession {
  if (connection instanceof Session) return new RoleSession(connection, role);
  throw new TypeError("Cannot run statements as a role: the transaction is not of the store");
}

function driver(pools: DialectPools, role?: EnforcedRole, idle?: IdleLimits): Driver {
  const nothing = async () => {};
  const sessionOf = (connection: DatabaseConnection) => SESSIONS.get(connection) ?? (connection as Session);
  /** The session that begins and ends transactions; undefined within one of somebody else. */
  const ownOf = (connection: DatabaseConnection) =>
    connection instanceof JoinedSession ? undefined : sessionOf(connection);
  return {
    init: nothing,
    destroy: nothing,
    acquireConnection: async () => {
      const joined = joinedSession(pools, role);
      if (joined) return joined;
      const session = new Session(pools, idle);
      return role ? new RoleSession(session, role) : session;
    },
    releaseConnection: async (connection) => ownOf(connection)?.release(),
    beginTransaction: async (connection, settings) => ownOf(connection)?.begin(settings),
    commitTransaction: async (connection) => ownOf(connection)?.commit(),
    rollbackTransaction: async (connection) =>
      connection instanceof JoinedSession ? connection.undo() : ownOf(connection)?.rollback(),
    savepoint: (connection, name) => sessionOf(connection).command(`savepoint ${ident(name)}`),
    rollbackToSavepoint: (connection, name) => sessionOf(connection).rollbackTo(name),
    releaseSavepoint: (connection, name) => sessionOf(connection).command(`release savepoint ${ident(name)}`),
  };
}
