/**
 * Calls within an open transaction: what an asynchronous call sends to the pools of a store, whoever sends it, goes over the
 * connection of the transaction. So code that knows nothing of the transaction reads what it has written, and writes as a part of it.
 * The pools ask here before they take a connection (`dialect.ts`). What a call begins and commits itself is a part, too.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery, QueryResult } from "kysely";
import { StoreUnavailable } from "../query/errors.ts";
import type { DialectPools } from "./dialect_pools.ts";
import type { EnforcedRole } from "./enforced_role.ts";
import { RoleSession } from "./role_session.ts";
import type { Session } from "./session.ts";

/** An open transaction that a call runs within. */
interface Joined {
  readonly session: Session;
  readonly pools: DialectPools;
  /** Whether a transaction of the call was rolled back. */
  isUndone: boolean;
  isOver: boolean;
}

/** What a call within a transaction came to. */
export interface JoinedOutcome<R> {
  readonly result: R;
  /** Whether what it wrote is to stay. */
  readonly isKept: boolean;
}

const JOINED = new AsyncLocalStorage<Joined | undefined>();
let savepoints = 0;
/** The end of the last call, by the transaction or the call that it is within: savepoints of two calls at once would undo each other. */
const TURNS = new WeakMap<Session | Joined, Promise<unknown>>();

/** A connection of a call: it neither begins nor ends anything. Without a role it has the rights of the account. */
export class JoinedSession extends RoleSession {
  readonly #joined: Joined;

  constructor(joined: Joined, role: EnforcedRole | undefined) {
    super(joined.session, role);
    this.#joined = joined;
  }

  override async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#refuseLate();
    return super.executeQuery(query);
  }

  override async write(query: CompiledQuery): Promise<void> {
    this.#refuseLate();
    await super.write(query);
  }

  override async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    this.#refuseLate();
    yield* super.streamQuery<Row>(query, chunkSize);
  }

  /** A transaction of the call was rolled back, which its own savepoint does not know apart from the rest of the call. */
  undo(): void {
    this.#joined.isUndone = true;
  }

  #refuseLate(): void {
    if (this.#joined.isOver)
      throw new StoreUnavailable("Cannot run a statement: the call that it belongs to has ended");
  }
}

/** The connection of the current call over these pools; undefined outside of transactions that calls have joined. */
export function joinedSession(pools: DialectPools, role?: EnforcedRole): JoinedSession | undefined {
  const joined = JOINED.getStore();
  return joined && !joined.isOver && joined.pools === pools ? new JoinedSession(joined, role) : undefined;
}

/**
 * Runs a call within the transaction of a session, behind a savepoint. What the call wrote stays if it says so in its outcome and no
 * transaction of its own was rolled back: `isKept` of the returned outcome. Throws what the call throws.
 */
export function joining<R>(
  session: Session,
  pools: DialectPools,
  call: () => Promise<JoinedOutcome<R>>,
): Promise<JoinedOutcome<R>> {
  const outer = JOINED.getStore();
  const around = outer?.session === session && !outer.isOver ? outer : session;
  const run = (TURNS.get(around) ?? Promise.resolve()).then(() => behindSavepoint(session, pools, call));
  TURNS.set(
    around,
    run.catch(() => {}),
  );
  return run;
}

async function behindSavepoint<R>(
  session: Session,
  pools: DialectPools,
  call: () => Promise<JoinedOutcome<R>>,
): Promise<JoinedOutcome<R>> {
  const name = `joined_${++savepoints}`;
  await session.command(`savepoint ${name}`);
  const joined: Joined = { session, pools, isUndone: false, isOver: false };
  try {
    const { result, isKept } = await JOINED.run(joined, call).finally(() => {
      joined.isOver = true;
    });
    if (isKept && !joined.isUndone) await session.command(`release savepoint ${name}`);
    else await session.rollbackTo(name);
    return { result, isKept: isKept && !joined.isUndone };
  } catch (error) {
    // Where the transaction itself has ended there is nothing to go back to, and the first error says why.
    await session.rollbackTo(name).catch(() => {});
    throw error;
  }
}

/**
 * Whether the current call runs within a transaction that it did not begin: what it reads is not committed, so it is not kept.
 * @example
 * const [read] = await rows(db, sql<{ total: number }>`select total from counters where id = ${1}`);
 * const kept = isWithinTransaction() ? undefined : read;
 */
export function isWithinTransaction(): boolean {
  return JOINED.getStore()?.isOver === false;
}

/**
 * Says that a part of the current call failed that would have rolled back its transaction, so that nothing of the call stays.
 * @example
 * await rows(db, sql`update notes set color = ${"blue"}`).catch((error: unknown) => {
 *   undoCall();
 *   throw error;
 * });
 */
export function undoCall(): void {
  const joined = JOINED.getStore();
  if (joined) joined.isUndone = true;
}

/**
 * Runs `run` with its statements outside of the transaction that the current call has joined: for what others share, such as a value
 * that is kept and the counts of limits.
 * @example
 * const shared = await outsideTransaction(() => rows(db, sql<{ total: number }>`select total from counters where id = ${1}`));
 */
export function outsideTransaction<R>(run: () => R): R {
  return JOINED.getStore() === undefined ? run() : JOINED.run(undefined, run);
}
