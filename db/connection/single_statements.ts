/** Statements outside of transactions: over the statement pool or the slow pool, as the account or as a role. */

import type { SentStatement, StatementResult } from "./connection_types.ts";
import type { DialectPools } from "./dialect_pools.ts";
import type { EnforcedRole, Sender } from "./enforced_role.ts";
import { currentSlowQuery } from "./limits.ts";
import { recordStatement } from "./recorded_statements.ts";

/** The pools of single statements, of the primary or of a replica. */
export type SingleStatementPools = Pick<DialectPools, "statements" | "slow">;

/** Sends a statement outside transactions as a role. */
export async function runAs(role: EnforcedRole, sender: Sender, text: string, parameters: readonly unknown[]) {
  recordStatement(text);
  for (let isStale = false; ; isStale = true) {
    const outgoing = await role.outgoing(sender, text, parameters);
    try {
      return outgoing.read(await sender.send(outgoing.text, outgoing.parameters, outgoing.carried));
    } catch (error) {
      // The tables changed since the statement was described, and it had no effect: it is described again, once.
      if (isStale || !outgoing.isStale(error)) throw outgoing.errorOf(error);
    }
  }
}

/** Sends statements outside transactions. */
export function senderOf(pools: SingleStatementPools): Sender {
  return {
    send: (text, parameters, carried) => sendOver(pools, text, parameters, carried),
    describe(text) {
      const slow = currentSlowQuery();
      return slow ? pools.slow.describe(text, slow) : pools.statements.describe(text);
    },
  };
}

/** Sends a statement outside transactions, over the slow pool within `withSlowPool`. */
export function sendSingle(
  pools: SingleStatementPools,
  text: string,
  parameters: readonly unknown[],
): Promise<StatementResult> {
  recordStatement(text);
  return sendOver(pools, text, parameters);
}

function sendOver(
  pools: SingleStatementPools,
  text: string,
  parameters: readonly unknown[],
  carried?: SentStatement,
): Promise<StatementResult> {
  const slow = currentSlowQuery();
  return slow
    ? pools.slow.send(text, parameters, carried ? { ...slow, carried } : slow)
    : pools.statements.send(text, parameters, carried);
}

/** Runs a statement outside transactions, over the pools of a replica where one may answer it. */
export function routed<T>(
  pools: DialectPools,
  text: string,
  run: (pools: SingleStatementPools) => Promise<T>,
): Promise<T> {
  return pools.replicas ? pools.replicas.send(text, run) : run(pools);
}
