import type { Kysely } from "kysely";
import { SESSIONS } from "./role_session.ts";
import { Session } from "./session.ts";

/** An open transaction, for who limits its time. */
export interface TransactionControl {
  /** Whether a statement has no answer yet. */
  readonly isBusy: boolean;
  /** Statements that were sent. */
  readonly sent: number;
  /**
   * Refuses further statements. One that runs is cancelled and its connection dropped, so that the pool replaces it at once. The
   * transaction is to be rolled back then.
   */
  abort(): void;
}

/**
 * What limits the time of an open transaction: it shows whether a statement runs, and aborts the transaction. Asked for before the
 * first statement, since it waits for those that were sent. Undefined outside transactions.
 * @example
 * await db.transaction().execute(async (tx) => {
 *   const control = await transactionControl(tx);
 *   const timer = setTimeout(() => control?.abort(), 5_000);
 *   await rows(tx, sql`update notes set color = ${"blue"}`).finally(() => clearTimeout(timer));
 * });
 */
export async function transactionControl(db: object): Promise<TransactionControl | undefined> {
  const kysely = db as Partial<Pick<Kysely<unknown>, "isTransaction" | "getExecutor">>;
  if (!kysely.isTransaction) return undefined;
  return kysely.getExecutor?.().provideConnection(async (connection) => {
    const session = SESSIONS.get(connection) ?? connection;
    return session instanceof Session ? session : undefined;
  });
}
