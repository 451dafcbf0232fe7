import { Pool } from "../../db/pool.ts";
import { outgoing } from "../../db/values.ts";
import type { TestHouse } from "./house.ts";

/** A statement as it went to the store. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** The single statements that `run` sends to the store. Transactions take other ways and are not among them. */
export async function statementsOf(house: TestHouse, run: () => Promise<unknown>): Promise<Statement[]> {
  const { send } = Pool.prototype;
  const sent: Statement[] = [];
  Pool.prototype.send = function (text, parameters) {
    sent.push({ text, parameters: outgoing(house.store.sql, parameters) });
    return send.call(this, text, parameters);
  };
  try {
    await run();
  } finally {
    Pool.prototype.send = send;
  }
  return sent;
}

/** The plan of a statement as text, run to its end. */
export async function planOf(house: TestHouse, { text, parameters }: Statement): Promise<string> {
  const lines = await house.store.sql.unsafe(
    `explain (analyze, costs off, timing off, summary off) ${text}`,
    parameters as never,
  );
  return lines.map((line) => line["QUERY PLAN"]).join("\n");
}
