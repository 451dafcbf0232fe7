import { DeadlinePool } from "../../../db/connection/deadline_pool.ts";
import { StatementPool } from "../../../db/connection/statement_pool.ts";
import { outgoing } from "../../../db/connection/values.ts";
import type { TestRuntime } from "./test_runtime.ts";

/** A statement as it went to the store. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** The single statements that `run` sends to the store, without those of transactions. */
export async function statementsOf(runtime: TestRuntime, run: () => Promise<unknown>): Promise<Statement[]> {
  const { send } = StatementPool.prototype;
  const { send: sendApart } = DeadlinePool.prototype;
  const sent: Statement[] = [];
  StatementPool.prototype.send = function (text, parameters, carried) {
    sent.push(statementIn(text, outgoing(runtime.store.sql, parameters)));
    return send.call(this, text, parameters, carried);
  };
  DeadlinePool.prototype.send = function (text, parameters, run) {
    sent.push(statementIn(text, outgoing(runtime.store.sql, parameters)));
    return sendApart.call(this, text, parameters, run);
  };
  try {
    await run();
  } finally {
    StatementPool.prototype.send = send;
    DeadlinePool.prototype.send = sendApart;
  }
  return sent;
}

/** A statement as its plugin wrote it: one that ran as a role travels as text to the function of the role. */
function statementIn(text: string, parameters: readonly unknown[]): Statement {
  if (!/^select\b[^']* lectern_grants\."(?:run|exec):/.test(text)) return { text, parameters };
  const [inner, ...values] = parameters;
  return { text: String(inner).replace(/\(\(\$1\)\[(\d+)\]\)::/g, "$$$1::"), parameters: values };
}

/** The plan of a statement as text, run to its end. */
export async function planOf(runtime: TestRuntime, { text, parameters }: Statement): Promise<string> {
  const lines = await runtime.store.sql.unsafe(
    `explain (analyze, costs off, timing off, summary off) ${text}`,
    parameters as never,
  );
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}
