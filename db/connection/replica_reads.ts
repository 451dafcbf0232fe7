/**
 * Reads from replicas, as the pools and those who use a store see them; `replicas/` makes them. A statement outside of transactions
 * goes where they say, and a transaction notes before its commit whose reads wait for it.
 */
import type { CompiledQuery } from "kysely";
import type { DeadlinePool } from "./deadline_pool.ts";
import type { SingleStatementPools } from "./single_statements.ts";
import type { StatementPool } from "./statement_pool.ts";
import type { StoreSession } from "./store_session.ts";

/** A replica as operators see it. */
export interface ReplicaStatus {
  /** Host, port and database. */
  readonly name: string;
  readonly isInUse: boolean;
  /** Why it is not in use; "" if it is. */
  readonly reason: string;
  /** How far it was behind when the server looked last, in milliseconds and bytes of the log. */
  readonly lagMs: number;
  readonly lagBytes: number;
  /** Statements that it answered since the start. */
  readonly statements: number;
}

/** Reads of requests by where they were answered. */
export interface ReadCounts {
  primary: number;
  /** Of those on the primary: a replica had failed. */
  repeated: number;
}

/** The pools of one run of a replica's server, for single statements. */
export interface ReplicaTarget {
  readonly statements: StatementPool;
  readonly slow: DeadlinePool;
  /** False once its connections were dropped. */
  isOpen: boolean;
}

/** A request whose reads a replica may answer while the primary is away, from its arrival on: also those that find its user. */
export interface AwayReads {
  /** The replica that answers them; undefined as long as none does. */
  replica: object | undefined;
}

/** The replicas of a store. */
export interface ReplicaReads {
  readonly counts: Readonly<ReadCounts>;
  /**
   * `current` returns the session of the current request; without one every statement goes to the primary. `away` returns its reads
   * that a replica may answer while the primary is away, also before its user is known.
   */
  sessionBy(current: () => StoreSession | undefined, away?: () => AwayReads | undefined): void;
  /** Looks after the replicas from now on. Resolves after the first look. */
  start(): Promise<void>;
  /** Looks once; for commands, which read from the primary. */
  check(): Promise<void>;
  /** The replicas in the order of the setting. */
  status(): readonly ReplicaStatus[];
  /** Runs a statement outside of transactions, on a replica or the primary. */
  send<T>(text: string, run: (pools: SingleStatementPools) => Promise<T>): Promise<T>;
  /**
   * What the open transaction has to send before its commit, so that reads wait for it; undefined for nothing. `hasWritten` says whether it
   * changed rows, and `forAll` whether it changes who may see what. The commit is shown to `commits`.
   */
  markOf(hasWritten: boolean, forAll: boolean): CommitMark | undefined;
  /** Ends the connections to replicas after their statements, at most `timeoutMs` later. */
  end(timeoutMs: number): Promise<void>;
}

/** What a transaction notes about its writer before its commit. */
export interface CommitMark {
  readonly statement: CompiledQuery;
  /** The commit was sent; `ending` is its answer. */
  commits(ending: Promise<unknown>): void;
}
