/**
 * The pools of an open store by purpose: single statements are pipelined over shared connections, transactions have one
 * each, polls and slow reads have pools of their own. None of the four starves another. The listener is apart from these.
 */
import type { CompiledQuery, RawBuilder } from "kysely";
import { ConnectionLost } from "../query/errors.ts";
import { keepStatementNames, statementName } from "../query/prepared.ts";
import { flatten } from "../query/query.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import type { ChangeObserver } from "./changes.ts";
import type { Connection } from "./connection.ts";
import type { ServerProcess, StatementObserver } from "./connection_types.ts";
import { DeadlinePool, type DeadlinePoolOptions } from "./deadline_pool.ts";
import type { AnswerDeadlineOptions } from "./deadlines.ts";
import type { DialectPools } from "./dialect_pools.ts";
import type { EnforcedRole, Sender } from "./enforced_role.ts";
import { answerTimeoutFor, type PoolLoad, type StoreLimits } from "./limits.ts";
import type { ReplicaReads } from "./replica_reads.ts";
import { runAs } from "./single_statements.ts";
import { StatementPool } from "./statement_pool.ts";
import { MINUTE_MS } from "./time.ts";
import { TransactionPool } from "./transaction_pool.ts";

/** Options of the pools; times in milliseconds. */
export interface StorePoolsOptions {
  /** Connections of the statement pool and the transaction pool together, half each. */
  readonly poolSize: number;
  /** Connections of the slow pool; one key holds half of them at most. */
  readonly slowPoolSize: number;
  /** Limit of the wait for a free connection, until limits are set. */
  readonly waitMs: number;
  /** Time for running statements on a connection that is replaced by its age. */
  readonly closeTimeoutMs: number;
  open(more: OpenOptions): Connection;
  /** Called when a connection is lost. */
  onLost(): void;
}

/** What the connections of pools have beside those of probes. */
export interface OpenOptions extends AnswerDeadlineOptions {
  onLost?(): void;
}

/** Milliseconds for an answer of a server that may be lost, where statements have no limit. */
const PROBE_MS = 5_000;
/** SQLSTATEs of a server that starts or stops: it answers, and is of no use yet. */
const NOT_SERVING = /^57P0[1-3]$/;
const MAX_AGE_MS = 30 * MINUTE_MS;
const DEADLINE_POOL_SIZE = 2;
/**
 * Settings of the slow pool's sessions. The best plan of these reads depends on their values, so generic plans are off. With
 * enough work_mem a bitmap scan of an index over words or trigrams keeps single rows; with less it keeps whole pages of the
 * table and rechecks every row on them. Compiling a statement (JIT) pays for those that run for seconds; a search would take up to
 * 100 ms longer.
 */
export const SLOW_SESSION = { plan_cache_mode: "force_custom_plan", work_mem: "'32MB'", jit: "off" };
const DEADLINE_MS = 2_000;
const CANCEL_TRANSACTION = `select pg_cancel_backend(pid) from pg_stat_activity
  where pid = $1::integer and xact_start = $2::timestamptz`;

/** The load of the pools by their purpose. */
export interface StoreLoad {
  readonly statements: PoolLoad;
  readonly transactions: PoolLoad;
  readonly slow: PoolLoad;
}

/** Is shown which pool a caller waited for, and how many milliseconds. */
export type WaitObserver = (pool: "transactions" | "slow" | "polls", ms: number) => void;

/** The pools of one store. */
export class StorePools implements DialectPools {
  readonly statements: StatementPool;
  readonly transactions: TransactionPool;
  readonly slow: DeadlinePool;
  limits: StoreLimits;
  /** Reads of requests that replicas may serve; undefined without DATABASE_READ_URLS. */
  replicas: ReplicaReads | undefined;
  /** Is shown each statement; see `observe`. */
  observer: StatementObserver | undefined;
  /** Is shown each change of a watched table; see `Store.observeChanges`. */
  changeObserver: ChangeObserver | undefined;
  /** Is shown each wait for a connection; see `Store.observeWaits`. */
  waitObserver: WaitObserver | undefined;
  readonly #deadline: DeadlinePool;
  readonly #options: StorePoolsOptions;
  #answering: Promise<boolean> | undefined;

  constructor(options: StorePoolsOptions) {
    const { poolSize, slowPoolSize, waitMs, closeTimeoutMs } = options;
    this.#options = options;
    this.limits = { statementMs: 0, writeMs: 0, waitMs };
    const open = () =>
      options.open({
        suspectMs: () => this.limits.statementMs,
        isAnswering: () => this.#isAnswering(),
        onLost: () => options.onLost(),
      });
    const maxAgeMs = MAX_AGE_MS;
    const wait = () => this.limits.waitMs;
    const limitMs = () => this.limits.statementMs;
    const waitOf = (pool: Parameters<WaitObserver>[0]) => (ms: number) => this.waitObserver?.(pool, ms);
    const half = (size: number) => Math.max(1, Math.floor(size / 2));
    const deadlinePool = (
      options: Pick<DeadlinePoolOptions, "size" | "perKey" | "waitMs" | "use" | "session" | "onWait">,
    ) => new DeadlinePool({ ...options, maxAgeMs, open, answerMs: limitMs, cancel: (process) => this.cancel(process) });
    this.statements = new StatementPool({
      size: Math.max(1, Math.ceil(poolSize / 2)),
      maxAgeMs,
      closeTimeoutMs,
      limitMs,
      open,
    });
    this.transactions = new TransactionPool({
      size: half(poolSize),
      waitMs: wait,
      maxAgeMs,
      open,
      keyOf: () => this.limits.ownerOf?.() ?? "",
      onWait: waitOf("transactions"),
    });
    this.slow = deadlinePool({
      size: slowPoolSize,
      perKey: half(slowPoolSize),
      waitMs: wait,
      use: ["a slow statement", "slow statements"],
      session: SLOW_SESSION,
      onWait: waitOf("slow"),
    });
    const use = ["a poll", "polls"] as const;
    this.#deadline = deadlinePool({
      size: DEADLINE_POOL_SIZE,
      waitMs: () => DEADLINE_MS,
      use,
      onWait: waitOf("polls"),
    });
  }

  /** Shows an observer each statement with its name, beside those that are shown them already. */
  observe(observer: StatementObserver): void {
    keepStatementNames();
    const before = this.observer;
    this.observer = (sent, answer) => {
      before?.(sent, answer);
      observer({ ...sent, name: statementName(sent.text) }, answer);
    };
  }

  /** The rows of a read in the deadline pool for polls, where a statement has two seconds. */
  async queryWithDeadline<Row>(query: RawBuilder<Row> | CompiledQuery<Row>): Promise<Row[]> {
    const { sql: text, parameters } = "sql" in query ? query : flatten(query);
    const result = await this.#deadline.send(text, parameters, { key: "", limitMs: DEADLINE_MS });
    return result.slice() as Row[];
  }

  /** How busy the pools are. */
  load(): StoreLoad {
    return { statements: this.statements.load, transactions: this.transactions.load, slow: this.slow.load };
  }

  /** The same as a role. */
  async queryWithDeadlineAs<Row>(role: EnforcedRole, query: RawBuilder<Row> | CompiledQuery<Row>): Promise<Row[]> {
    const { sql: text, parameters } = "sql" in query ? query : flatten(query);
    const limits = { key: "", limitMs: DEADLINE_MS };
    const sender: Sender = {
      send: (outer, values, carried) => this.#deadline.send(outer, values, carried ? { ...limits, carried } : limits),
      describe: (inner) => this.#deadline.describe(inner, limits),
    };
    return (await runAs(role, sender, text, parameters)).rows as Row[];
  }

  /** Ends all pools after their statements, at most `timeoutMs` later. */
  async end(timeoutMs: number): Promise<void> {
    await Promise.all(
      [this.transactions, this.#deadline, this.slow, this.statements].map((some) => some.end(timeoutMs)),
    );
  }

  /** Whether the server accepts a connection and answers on it; one probe at a time. */
  #isAnswering(): Promise<boolean> {
    this.#answering ??= this.#probe().finally(() => {
      this.#answering = undefined;
    });
    return this.#answering;
  }

  async #probe(): Promise<boolean> {
    // An error of the server, such as "too many connections", is an answer.
    return !((await this.#probeError()) instanceof ConnectionLost);
  }

  /** Why the store serves no statement over a new connection; undefined where it does. */
  async failure(): Promise<string | undefined> {
    const error = await this.#probeError();
    if (error instanceof ConnectionLost) {
      const { message } = error.cause instanceof Error ? error.cause : error;
      return message.includes(error.code) ? message : `${message} (${error.code})`;
    }
    return NOT_SERVING.test(codeOf(error)) ? messageOf(error) : undefined;
  }

  async #probeError(): Promise<unknown> {
    const connection = this.#options.open({});
    try {
      await connection.send("select 1", [], answerTimeoutFor(this.limits.statementMs) || PROBE_MS);
      return undefined;
    } catch (error) {
      return error;
    } finally {
      if (!connection.isLost) void connection.end(0);
    }
  }

  /**
   * Asks the server to cancel what a process runs. Behind a pooler the process may serve another client by now, so the transaction has
   * to be the same.
   */
  cancel({ pid, since }: ServerProcess): void {
    const cancelling =
      since === undefined
        ? this.statements.send("select pg_cancel_backend($1::integer)", [pid])
        : this.statements.send(CANCEL_TRANSACTION, [pid, since]);
    cancelling.catch(() => {
      // The limit of the statement ends it.
    });
  }
}
