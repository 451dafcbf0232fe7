/**
 * Calls of routes within the transaction of an event, `tx.callAs`: the statements of the route go over the open transaction
 * (`withinTransaction` of the store), and events that it performs are nested ones. An answer of 400 or more leaves nothing of the call
 * behind, neither in the store nor among the steps that follow the transaction. An error after which the whole transaction may succeed
 * when it is repeated is thrown instead of answered, so that it is.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { changesAccess, codeOf, type Db, StoreError, undoCall, withinTransaction } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { EventRecord } from "./event_bus.ts";
import type { EventSteps, Step } from "./event_steps.ts";
import type { TransactionWatch } from "./transaction_watch.ts";

/** Steps and events of one attempt, used when its transaction has ended. */
export interface Attempt {
  readonly afterCommit: Step[];
  readonly onRollback: Step[];
  readonly records: EventRecord[];
  isRolledBack: boolean;
}

/** An open transaction of an event. */
export interface OpenTransaction {
  /** The bus that performs the event. */
  readonly bus: object;
  readonly db: Db;
  readonly attempt: Attempt;
  readonly watch: TransactionWatch;
  /** When its outermost action began. */
  readonly at: string;
}

interface JoinedCall extends OpenTransaction {
  /** The first error after which the transaction is to be repeated. */
  repeat?: { readonly error: unknown };
  isOver: boolean;
}

/** SQLSTATEs after which a retry may succeed: serialisation failure, deadlock, unique violation. */
const RETRIED = new Set(["40001", "40P01", "23505"]);
/** The least status of an answer that refuses or fails. */
const REFUSED = 400;
const CURRENT = new AsyncLocalStorage<JoinedCall>();

/** Whether a retry may succeed. The error of a boot, which names a plugin, has that of the store as its cause. */
export function isRetried(error: unknown): boolean {
  return RETRIED.has(codeOf(error)) || (error instanceof BootError && RETRIED.has(codeOf(error.cause)));
}

/** Calls a route within a transaction. Returns its answer, read to its end. Throws what is to repeat or to end the transaction. */
export async function callWithin(
  open: OpenTransaction,
  { method, path }: { readonly method: string; readonly path: string },
  steps: EventSteps,
  route: () => Promise<Response>,
): Promise<Response> {
  const { attempt, db } = open;
  let undo = () => Promise.resolve();
  const call: JoinedCall = { ...open, isOver: false };
  // Its writes may be those of another user than the transaction's.
  if (method !== "GET") await changesAccess(db);
  try {
    const { result, isKept } = await withinTransaction(db, async () => {
      undo = undoing(attempt, steps, `undo the call of ${method} ${path}`);
      const answer = await CURRENT.run(call, async () => whole(await route()));
      return { result: answer, isKept: answer.status < REFUSED && !call.repeat };
    });
    if (call.repeat) throw call.repeat.error;
    if (!isKept && result.status < REFUSED)
      throw new StoreError(`Cannot keep what ${method} ${path} wrote: it went on after a change of it had failed`);
    if (!isKept) await undo();
    return result;
  } catch (error) {
    // Where the whole transaction is rolled back, there is nothing left of the call to undo then.
    await undo();
    throw error;
  } finally {
    call.isOver = true;
  }
}

/** The transaction of a bus that the current call of a route runs within. */
export function joinedCall(bus: object): OpenTransaction | undefined {
  const call = CURRENT.getStore();
  return call?.bus === bus && !call.isOver ? call : undefined;
}

/** A nested event of the current call failed: nothing of the call stays, whatever its route makes of the error. */
export function failCall(error: unknown): void {
  undoCall();
  noteCallError(error);
}

/** Notes the error that the route of the current call is about to answer, where the transaction is to be repeated after it. */
export function noteCallError(error: unknown): void {
  const call = CURRENT.getStore();
  if (call && !call.isOver && isRetried(error)) call.repeat ??= { error };
}

/** Takes back what is added to an attempt from now on, and runs the steps for a rollback among it. */
function undoing(attempt: Attempt, steps: EventSteps, what: string): () => Promise<void> {
  const { afterCommit, onRollback, records } = attempt;
  const before = { afterCommit: afterCommit.length, onRollback: onRollback.length, records: records.length };
  return async () => {
    if (attempt.isRolledBack) return;
    afterCommit.splice(before.afterCommit);
    records.splice(before.records);
    await steps.run(onRollback.splice(before.onRollback).reverse(), what);
  };
}

/** The answer with its body in memory: what is read of the store for it is read within the call. */
async function whole(answer: Response): Promise<Response> {
  if (answer.body === null) return answer;
  const { status, statusText, headers } = answer;
  return new Response(await answer.arrayBuffer(), { status, statusText, headers });
}
