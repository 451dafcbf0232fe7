/**
 * Kysely in an isolated process: statements are built here and travel as trees. The server checks them by its grammar and the
 * plugin's grants, compiles and runs them. Values in rows are as in the server; bytes are Uint8Array.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Channel } from "./channel.ts";
import type { ViewerReference } from "./viewers.ts";

/** How statements of one Kysely are run. */
export interface StatementScope {
  /** The call of the server whose transaction they join, or whose viewer limits them. */
  readonly within?: number | undefined;
  /** The viewer, for `visible`. */
  readonly viewer?: ViewerReference;
  /** The table whose rows are limited to those that the viewer of the call sees. */
  readonly visible?: string;
  /** Whether they run in the transaction of the call. */
  readonly inTransaction?: boolean;
}

interface SentResult {
  readonly rows: unknown[];
  readonly affected?: string;
}

/** A Kysely whose statements the server runs. */
// biome-ignore lint/suspicious/noExplicitAny: the tables are those of the plugin's own types
export function remoteStore(channel: Channel, { within, ...how }: StatementScope): Kysely<any> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ query }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, affected } = (await channel.call("query", { tree: query, ...how }, { within })) as SentResult;
      return { rows: rows as Row[], ...(affected !== undefined && { numAffectedRows: BigInt(affected) }) };
    },
    // biome-ignore lint/correctness/useYield: refuses
    async *streamQuery() {
      throw new Error("Isolated plugins cannot stream rows; read them in pages");
    },
  };
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver(connection),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

function driver(connection: DatabaseConnection): Driver {
  const refuse = async () => {
    throw new Error("Isolated plugins have no transactions of their own; write in the action of an event (perform)");
  };
  const idle = async () => {};
  return {
    init: idle,
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: idle,
    destroy: idle,
  };
}
