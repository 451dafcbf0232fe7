/**
 * One replica: its pools, and up to where it has replayed the log. A position holds for one run of its server alone: after a
 * crash a replica may be behind what it showed before. So positions come over a connection that is never replaced, and each
 * connection of the pools first proves that it is of the same run. When any of it fails, all of it is dropped, and the replica
 * joins again with new connections.
 */
import type { Connection } from "../connection/connection.ts";
import type { ServerProcess } from "../connection/connection_types.ts";
import { DeadlinePool } from "../connection/deadline_pool.ts";
import type { ReplicaTarget } from "../connection/replica_reads.ts";
import { StatementPool } from "../connection/statement_pool.ts";
import { SLOW_SESSION } from "../connection/store_pools.ts";
import { MINUTE_MS } from "../connection/time.ts";
import { ConnectionLost } from "../query/errors.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import { Batch } from "./batch.ts";
import { REPLICA_STATE, STARTED } from "./schema.ts";

/** Options of a replica; times in milliseconds. */
export interface ReplicaOptions {
  /** Host, port and database, without a password. */
  readonly name: string;
  readonly poolSize: number;
  readonly slowPoolSize: number;
  /** How long it may take to say its state. */
  readonly answerMs: number;
  readonly closeTimeoutMs: number;
  open(): Connection;
  /** Limit of a statement, 0 for none. */
  limitMs(): number;
  /** Limit of the wait for a connection of the slow pool. */
  waitMs(): number;
  /** Is shown each wait for it. */
  onWait(ms: number): void;
}

interface State {
  readonly standby: boolean;
  readonly started: string;
  readonly lsn: number;
  readonly epoch: string | null;
}

const MAX_AGE_MS = 30 * MINUTE_MS;
/** SQLSTATEs of statements that are cancelled since they are in the way of the replay. */
const CONFLICTS: ReadonlySet<unknown> = new Set(["40001", "40P01", "57014"]);
const MAX_ATTEMPTS = 3;
/** The code of connections that were dropped since their replica is out. */
const REPLICA_OUT = "REPLICA_OUT";

/** A replica, in use or out. */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  readonly #connections = new Set<Connection>();
  readonly #batch = new Batch(() => this.#learn());
  #verified = new WeakSet<Connection>();
  #control: Connection | undefined;
  #target: ReplicaTarget | undefined;
  #state: State | undefined;
  #isIn = false;
  /** Why it is out. */
  reason = "it was not reached yet";
  /** How far it is behind, as far as known. */
  lagMs = 0;
  /** Statements that it answered. */
  statements = 0;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Whether it serves reads. */
  get isIn(): boolean {
    return this.#isIn;
  }

  /** The position up to which it has replayed the log at least; 0 if unknown. */
  get lsn(): number {
    return this.#state?.lsn ?? 0;
  }

  /** Its pools; undefined while it is out. */
  get target(): ReplicaTarget | undefined {
    return this.#isIn ? this.#target : undefined;
  }

  /** Its pools, also while it only rests, as one that lags; undefined while it does not answer. */
  get restingTarget(): ReplicaTarget | undefined {
    return this.#target;
  }

  /** Learns its state by a statement that is sent after the call. Rejects where it does not answer in time. */
  refresh(): Promise<void> {
    return this.#batch.run();
  }

  /** Why a replica with its state cannot serve readers of this history; undefined where it can. */
  unfitFor(epoch: string | undefined): string | undefined {
    if (!this.#state) return "it does not answer";
    if (!this.#state.standby) return "it is no replica: it accepts writes";
    if (this.#state.epoch === null || this.#state.epoch !== epoch)
      return "it has not replayed the current history of the primary";
    return undefined;
  }

  /** Uses it. */
  join(): void {
    this.#isIn = true;
    this.reason = "";
  }

  /** Keeps its connections, and serves no further reads: for a replica that lags. */
  rest(reason: string): void {
    this.#isIn = false;
    this.reason = reason;
  }

  /** Drops its connections; their statements fail with ConnectionLost. */
  leave(reason: string): void {
    this.rest(reason);
    this.#state = undefined;
    this.#control = undefined;
    if (this.#target) this.#target.isOpen = false;
    this.#target = undefined;
    this.#verified = new WeakSet();
    for (const connection of this.#connections) connection.drop(REPLICA_OUT, `The replica ${this.name} is out`);
    this.#connections.clear();
  }

  /** Ends its connections after their statements, at most `timeoutMs` later. */
  async end(timeoutMs: number): Promise<void> {
    const all = [...this.#connections];
    this.rest("the store is closed");
    await Promise.all(all.map((connection) => (connection.isLost ? undefined : connection.end(timeoutMs))));
  }

  async #learn(): Promise<void> {
    this.#control ??= this.#open();
    const control = this.#control;
    try {
      const [state] = await this.#ask(control);
      if (!state) throw new ConnectionLost("The replica gave no state", REPLICA_OUT);
      if (this.#control !== control) throw new ConnectionLost("The replica left meanwhile", REPLICA_OUT);
      this.#state = state;
      this.#target ??= this.#pools();
    } catch (error) {
      if (this.#control === control) this.leave(reasonOf(error));
      throw error;
    }
  }

  /** Asks for the state, and again where the replay cancels that. */
  async #ask(control: Connection): Promise<State[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        // The columns are those of the statement, which the type of an answer cannot know.
        return (await control.send(REPLICA_STATE, [], this.#options.answerMs)) as unknown as State[];
      } catch (error) {
        const code = codeOf(error);
        if (attempt === MAX_ATTEMPTS || !CONFLICTS.has(code)) throw error;
      }
    }
  }

  #pools(): ReplicaTarget {
    const { limitMs, waitMs, onWait, poolSize, slowPoolSize, closeTimeoutMs } = this.#options;
    const ready = (connection: Connection) => this.#ready(connection);
    const shared = { maxAgeMs: MAX_AGE_MS, open: () => this.#open(), ready };
    const statements = new StatementPool({ ...shared, size: poolSize, closeTimeoutMs, limitMs });
    const cancel = ({ pid }: ServerProcess) => {
      statements.send("select pg_cancel_backend($1::integer)", [pid]).catch(() => {
        // The limit of the statement ends it.
      });
    };
    const slow = new DeadlinePool({
      ...shared,
      size: slowPoolSize,
      perKey: Math.max(1, Math.floor(slowPoolSize / 2)),
      use: ["a slow statement", "slow statements"],
      session: SLOW_SESSION,
      answerMs: limitMs,
      ...{ waitMs, onWait, cancel },
    });
    return { statements, slow, isOpen: true };
  }

  #open(): Connection {
    for (const connection of this.#connections) if (connection.isLost) this.#connections.delete(connection);
    const connection = this.#options.open();
    this.#connections.add(connection);
    return connection;
  }

  /** Proves that a connection is of the run that the state is of; undefined where it did so before. */
  #ready(connection: Connection): Promise<void> | undefined {
    return this.#verified.has(connection) ? undefined : this.#verify(connection);
  }

  async #verify(connection: Connection): Promise<void> {
    const verified = this.#verified;
    // The columns are those of the statement, which the type of an answer cannot know.
    const [run] = (await connection.send(STARTED, [], this.#options.answerMs)) as unknown as State[];
    if (!run || run.started !== this.#state?.started)
      throw new ConnectionLost("The replica was started again", REPLICA_OUT);
    verified.add(connection);
  }
}

/** A failure as operators read it; never with a password. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (error instanceof ConnectionLost) return `it cannot be reached (${error.code})`;
  return code === "42P01" || code === "3F000"
    ? "it has not replayed the current history of the primary"
    : `it failed: ${messageOf(error)}`;
}
