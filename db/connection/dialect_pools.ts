import type { ServerProcess } from "./connection_types.ts";
import type { DeadlinePool } from "./deadline_pool.ts";
import type { StoreLimits } from "./limits.ts";
import type { ReplicaReads } from "./replica_reads.ts";
import type { StatementPool } from "./statement_pool.ts";
import type { TransactionPool } from "./transaction_pool.ts";

/** The pools of a store: for single statements, for those within `withSlowPool`, for transactions and streams. */
export interface DialectPools {
  statements: StatementPool;
  slow: DeadlinePool;
  transactions: TransactionPool;
  limits: StoreLimits;
  /** Reads of requests that replicas may serve; undefined without DATABASE_READ_URLS. */
  replicas: ReplicaReads | undefined;
  /** Asks the server to cancel what a process runs. */
  cancel(process: ServerProcess): void;
}
