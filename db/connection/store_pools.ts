/**
 * All connections of an open store but the listener's, by what they are for: quick single statements share a few and are
 * pipelined, transactions have one each, polls and what may take long have some apart. None of the four starves another.
 */
import type { RawBuilder } from "kysely";
import { ConnectionLost } from "../query/errors.ts";
import { flatten } from "../query/query.ts";
import type { Connection } from "./connection.ts";
import { DeadlinePool, type DeadlinePoolOptions } from "./deadline_pool.ts";
import type { AnswerDeadlineOptions } from "./deadlines.ts";
import type { DialectPools } from "./dialect.ts";
import { answerTimeoutFor, type StoreLimits } from "./limits.ts";
import { StatementPool } from "./statement_pool.ts";
import { TransactionPool } from "./transaction_pool.ts";

/** What they are made of; times in milliseconds. */
export interface StorePoolsOptions {
  /** For quick statements and transactions together, half of them each. */
  readonly poolSize: number;
  /** For what may take long; one key may have half of them at a time. */
  readonly slowPoolSize: number;
  /** For a connection to be free, until limits are set. */
  readonly waitMs: number;
  /** For what runs on a connection that grew old. */
  readonly closeTimeoutMs: number;
  open(more: AnswerDeadlineOptions): Connection;
}

const MAX_AGE_MS = 30 * 60_000;
const DEADLINE_POOL_SIZE = 2;
/**
 * Of the sessions for what may take long. What is cheap there depends on the values asked for, so a plan made for all of
 * them fits none. An index over words or trigrams remembers its hits row by row where the memory holds them; with less it
 * remembers whole pages of the table, and every row on them is looked at again.
 */
const SLOW_SESSION = "set plan_cache_mode = force_custom_plan; set work_mem = '32MB'";
const DEADLINE_MS = 2_000;

/** The connections of one store. */
export class StorePools implements DialectPools {
  readonly statements: StatementPool;
  readonly transactions: TransactionPool;
  readonly slow: DeadlinePool;
  limits: StoreLimits;
  readonly #deadline: DeadlinePool;
  readonly #options: StorePoolsOptions;
  #answering: Promise<boolean> | undefined;

  constructor(options: StorePoolsOptions) {
    const { poolSize, slowPoolSize, waitMs, closeTimeoutMs } = options;
    this.#options = options;
    this.limits = { statementMs: 0, writeMs: 0, waitMs };
    const open = () =>
      options.open({ suspectMs: () => this.limits.statementMs, isAnswering: () => this.#isAnswering() });
    const maxAgeMs = MAX_AGE_MS;
    const wait = () => this.limits.waitMs;
    const limitMs = () => this.limits.statementMs;
    const half = (size: number) => Math.max(1, Math.floor(size / 2));
    const apart = (options: Pick<DeadlinePoolOptions, "size" | "perKey" | "waitMs" | "use" | "session">) =>
      new DeadlinePool({ ...options, maxAgeMs, open, answerMs: limitMs, cancel: (pid) => this.#cancel(pid) });
    this.statements = new StatementPool({
      size: Math.max(1, Math.ceil(poolSize / 2)),
      maxAgeMs,
      closeTimeoutMs,
      limitMs,
      open,
    });
    this.transactions = new TransactionPool({ size: half(poolSize), waitMs: wait, maxAgeMs, open });
    this.slow = apart({
      size: slowPoolSize,
      perKey: half(slowPoolSize),
      waitMs: wait,
      use: ["a slow statement", "these"],
      session: SLOW_SESSION,
    });
    this.#deadline = apart({ size: DEADLINE_POOL_SIZE, waitMs: () => DEADLINE_MS, use: ["a brief reading", "these"] });
  }

  /** The rows of a template on connections for polls, where a statement has two seconds. */
  async queryWithDeadline<Row>(fragment: RawBuilder<Row>): Promise<Row[]> {
    const { sql: text, parameters } = flatten(fragment);
    const result = await this.#deadline.send(text, parameters, { key: "", limitMs: DEADLINE_MS });
    return result.slice() as unknown as Row[];
  }

  /** Ends all of them, letting what runs finish for `timeoutMs`. */
  async end(timeoutMs: number): Promise<void> {
    await Promise.all(
      [this.transactions, this.#deadline, this.slow, this.statements].map((some) => some.end(timeoutMs)),
    );
  }

  /** Whether the server takes a new connection and answers on it; asked once at a time. */
  #isAnswering(): Promise<boolean> {
    this.#answering ??= this.#probe().finally(() => {
      this.#answering = undefined;
    });
    return this.#answering;
  }

  async #probe(): Promise<boolean> {
    const connection = this.#options.open({});
    try {
      await connection.send("select 1", [], answerTimeoutFor(this.limits.statementMs));
      return true;
    } catch (error) {
      // One that says that it takes no more connections answers.
      return !(error instanceof ConnectionLost);
    } finally {
      if (!connection.isLost) void connection.end(0);
    }
  }

  #cancel(pid: number): void {
    this.statements.send("select pg_cancel_backend($1::integer)", [pid]).catch(() => {
      // Its own limit ends it.
    });
  }
}
