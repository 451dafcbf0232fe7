/**
 * What a store is opened with, and what an open one gives: the types alone, which everything over a store imports. How it is opened, and
 * the defaults of the options, are in `open.ts`.
 */
import type { CompiledQuery, RawBuilder } from "kysely";
import type postgres from "postgres";
import type { Grants } from "../query/grants.ts";
import type { Db } from "../query/tables.ts";
import type { ChangeObserver } from "./changes.ts";
import type { StatementObserver } from "./connection_types.ts";
import type { RoleStore } from "./dialect.ts";
import type { HostState } from "./hosts.ts";
import type { IdleLimits } from "./idle_transactions.ts";
import type { StoreLimits } from "./limits.ts";
import type { ListenHandlers } from "./listener.ts";
import type { ReplicaReads } from "./replica_reads.ts";
import type { StoreEventObserver } from "./store_events.ts";
import type { StoreLoad, WaitObserver } from "./store_pools.ts";
import type { Timelines } from "./timelines.ts";

/** Options of a store. Times are in milliseconds; the default follows the colon. */
export interface StoreOptions {
  /**
   * `postgres://user:password@host:port/name`, or with several hosts `h1:5432,h2:5432`, of which one accepts writes; the embedded
   * server where absent or empty.
   */
  databaseUrl?: string | undefined;
  /** The folder of the embedded server's `postgres`; unused with a URL. */
  dataDir: string;
  /** Connections of the statement pool and the transaction pool together, half each: 6. */
  poolSize?: number;
  /** Database of the embedded server, created where missing: "lectern". */
  database?: string;
  /** Whether nothing is created: for commands that only look. The database has to be there: false. */
  looks?: boolean;

  /** Whether all connections are those of the embedded server's superuser, as tools need that change the server: false. */
  asSuperuser?: boolean;
  /** Notices of the server; ignored by default. */
  onNotice?: (text: string) => void;
  /** Called when the embedded server had died and was restarted. */
  onRestart?: () => void;
  /** Called when restarting it fails: once, though it is tried again until it succeeds. */
  onRestartFailure?: (error: unknown) => void;
  /** Is shown when the store is lost, found again or moves to another leader, and the same of replicas. */
  onEvent?: StoreEventObserver;
  /** The timelines by which a former leader of a server is told from the leader; none are known by default. */
  timelines?: Timelines;
  /** Limit of connecting: 10,000. */
  connectTimeoutMs?: number;
  /** Connections of the slow pool; one user holds half of them at most: 4. */
  slowPoolSize?: number;
  /** Limit of the wait for a connection of the transaction or the slow pool, until `limit` is called: 30,000. */
  transactionWaitMs?: number;
  /** Time for running queries when the store closes: 5,000. */
  closeTimeoutMs?: number;
  /** Limit of creation, start and recovery of the embedded server: 120,000. */
  startTimeoutMs?: number;
  /** Limit of the wait for a killed predecessor of the embedded server to release the folder: 10,000. */
  predecessorMs?: number;
  /** Whether statements are prepared; false behind a pooler in transaction mode that refuses it: true. */
  prepare?: boolean;
  /** The server for LISTEN where `databaseUrl` is that of a pooler in transaction mode, over which no notifications arrive. */
  listenUrl?: string | undefined;
  /** Called where that is missing: nothing is heard then. */
  onUnheard?: () => void;
  /** ReplicaReads of the server of `databaseUrl` that serve reads of requests; none. */
  readUrls?: readonly string[];
  /** How far a replica that serves reads may be behind: 10,000. */
  readMaxLagMs?: number;
  /** Between two looks at the replicas: 1,000. */
  readCheckMs?: number;
}

/** An open store. */
export interface Store {
  db: Db;
  /** postgres.js over two further connections, for tools and tests; a query may hang where these break. */
  sql: postgres.Sql;
  /** The rows of a read in the deadline pool, where the server cancels a statement after two seconds. */
  queryWithDeadline<Row>(query: RawBuilder<Row> | CompiledQuery<Row>): Promise<Row[]>;
  /**
   * The same store as the role of a plugin (`syncRoles`): PostgreSQL checks its grants, whatever its statements say. `grants`
   * only words the errors. `idle` limits the transactions that the plugin begins itself.
   */
  restrictedTo(plugin: string, grants: Grants, idle?: IdleLimits): PluginStore;
  /** The same store with all rights of the account, with a limit of its transactions and streams. */
  limitedTo(idle: IdleLimits): Db;
  /** Sets the limits of further statements; there are none before, as for commands and migrations. */
  limit(limits: StoreLimits): void;
  /** Shows an observer each statement that the pools send, beside the observers before it; for traces. */
  observe(observer: StatementObserver): void;
  /** Shows an observer each change of a watched table (`watchTables`) over the connections of the pools. */
  observeChanges(observer: ChangeObserver): void;
  /** Shows an observer each wait for a connection of a pool. */
  observeWaits(observer: WaitObserver): void;
  /** What the hosts of its URL are now, one where it is single; none of the embedded store. */
  hosts(): Promise<readonly HostState[]>;
  /** Connections of the pools and callers that wait for one. */
  load(): StoreLoad;
  /** The replicas that serve reads; undefined without `readUrls`. */
  readonly replicas?: ReplicaReads | undefined;
  kind: "embedded" | "server";
  /** The schema of its tables. */
  readonly schema: string;
  /** For the log; without a password. */
  description: string;
  /** Listens to a channel over the listener's connection, if it has one. Resolves to a function that stops it. */
  listen(channel: string, handlers: ListenHandlers): Promise<() => Promise<void>>;
  /** Sends a notification outside any transaction; at most 7,999 bytes. */
  notify(channel: string, payload: string): Promise<void>;
  /** Ends all connections, and the embedded server where no other process uses it. */
  close(): Promise<void>;
}

/** A store whose statements run as the role of a plugin. */
export interface PluginStore extends RoleStore {
  queryWithDeadline: Store["queryWithDeadline"];
}
