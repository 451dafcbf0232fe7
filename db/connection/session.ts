/**
 * A session of Kysely: over the pools, and between `begin` and the end of a transaction over its connection. Statements of a plugin's
 * role run in it too (`role_session.ts`); what begins and ends transactions stays with the runtime's account.
 */

import type { CompiledQuery, DatabaseConnection, QueryResult, TransactionSettings } from "kysely";
import { StoreError, StoreUnavailable } from "../query/errors.ts";
import { ident } from "../query/quoting.ts";
import type { Connection } from "./connection.ts";
import type { StatementResult } from "./connection_types.ts";
import type { DialectPools } from "./dialect_pools.ts";
import type { EnforcedRole, Outgoing, Sender } from "./enforced_role.ts";
import {
  type IdleLimits,
  takeAway,
  unwatchIdle,
  type WatchedTransaction,
  watchIdle,
  watchStream,
} from "./idle_transactions.ts";
import { answerTimeoutFor, currentSlowQuery } from "./limits.ts";
import { routed, runAs, senderOf, sendSingle } from "./single_statements.ts";
import { isRead } from "./statement_kind.ts";
import type { TransactionControl } from "./transaction_control.ts";
import { MAX_UNANSWERED_BYTES, sizeOf } from "./unanswered.ts";

const ENDED = "Cannot run a statement: its transaction has ended, or took longer than it may";
const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);
const READ = /^select\b/i;
/** Bytes that a statement counts beside its values, so that postgres.js never begins to queue. */
const BYTES_PER_STATEMENT = 512;

/** A session with all rights of the account. */
export class Session implements DatabaseConnection, TransactionControl, WatchedTransaction {
  readonly #pools: DialectPools;
  readonly #idle: IdleLimits | undefined;
  #connection: Connection | undefined;
  /** The limit of answers within the transaction. */
  #answerTimeoutMs = 0;
  /** The answer of `begin`, until it is known to be there. */
  #beginning: Promise<unknown> | undefined;
  /** Unanswered writes: the last answer, the bytes since the previous answer, and the first failure. */
  #last: Promise<void> | undefined;
  #unanswered = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Whether a statement of a role failed. */
  #failedRole = false;
  /** Whether the transaction has a statement that does not only read; known where replicas are read. */
  #hasWritten = false;
  #changesAccess = false;
  #isReadOnly = false;
  /** Whether the transaction takes no more statements, which would run outside of it: it ends, or was aborted. */
  #isEnding = false;
  #isAborted = false;
  /** Streams of the transaction that are read: between two parts of one no statement is pending. */
  #streams = 0;
  sent = 0;

  /** `idle` limits its transactions that send nothing, and streams that nobody reads. */
  constructor(pools: DialectPools, idle?: IdleLimits) {
    this.#pools = pools;
    this.#idle = idle;
  }

  get isBusy(): boolean {
    return (this.#connection?.load ?? 0) > 0;
  }

  abort(): void {
    this.#isAborted = this.#isEnding = true;
    const connection = this.#connection;
    if (!connection || (!connection.load && this.#streams === 0)) return;
    takeAway(connection, this.#pools, "The transaction took longer than it may");
  }

  expire(reason: string): void {
    this.#isAborted = this.#isEnding = true;
    if (this.#connection) takeAway(this.#connection, this.#pools, `The transaction was ended. ${reason}`);
    this.#leave(true);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#isAborted) throw new StoreUnavailable(ENDED);
    const result = await this.#answered(
      this.#connection
        ? this.#sentWithBegin(this.#noted(query.sql), query.parameters)
        : routed(this.#pools, query.sql, (pools) => sendSingle(pools, query.sql, query.parameters)),
    );
    const { command, count } = result;
    // Several statements in one text return a list of results without a command.
    if (command === undefined) return { rows: (result.at(-1) ?? []) as Row[] };
    // A plain array: that of postgres.js refers to the statement.
    const rows = result.slice() as Row[];
    return WRITES.has(command) ? { rows, numAffectedRows: BigInt(count) } : { rows };
  }

  /** Sends a statement as a role. */
  async executeAs<Row>(query: CompiledQuery, role: EnforcedRole): Promise<QueryResult<Row>> {
    if (this.#isAborted) throw new StoreUnavailable(ENDED);
    const { rows, affected } = this.#connection
      ? await this.#runWithin(query, role)
      : await routed(this.#pools, query.sql, (pools) => runAs(role, senderOf(pools), query.sql, query.parameters));
    return { rows: rows as Row[], ...(affected !== undefined && { numAffectedRows: affected }) };
  }

  async #runWithin(query: CompiledQuery, role: EnforcedRole) {
    await this.#begun();
    const sender = this.#sender();
    const outgoing = await role.outgoing(sender, this.#noted(query.sql), query.parameters);
    try {
      return outgoing.read(await this.#answered(sender.send(outgoing.text, outgoing.parameters, outgoing.carried)));
    } catch (error) {
      throw this.#failedAs(outgoing, error);
    }
  }

  /**
   * Sends a statement and resolves as soon as the connection takes another one. It waits for the answer where postgres.js would
   * queue further statements: the first time on a session, when the statement is described, and with many bytes
   * unanswered. A queued statement would go to another session, outside the transaction, if this connection broke.
   */
  async write(query: CompiledQuery, role?: EnforcedRole): Promise<void> {
    await this.#begun();
    const outgoing = role && (await role.outgoing(this.#sender(), query.sql, query.parameters));
    const connection = this.#held();
    const { text, parameters } = outgoing ?? { text: query.sql, parameters: query.parameters };
    this.#hasWritten = true;
    const isKnown = connection.hasPrepared(text);
    this.#unanswered += BYTES_PER_STATEMENT;
    for (const value of parameters) this.#unanswered += sizeOf(value);
    this.#last = connection.send(text, parameters, this.#answerTimeoutMs, outgoing?.carried).then(
      () => undefined,
      (error: unknown) => {
        this.#failure ??= { error: outgoing ? this.#failedAs(outgoing, error) : error };
      },
    );
    // Behind a pooler the commit has to know whether a statement of a role failed.
    const isShared = outgoing !== undefined && connection.isPooled;
    if (!isKnown || isShared || this.#unanswered >= MAX_UNANSWERED_BYTES) await this.#settle();
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.streamAs(query, chunkSize);
  }

  /** Streams the rows of a statement, as a role where one is given. */
  async *streamAs<Row>(
    query: CompiledQuery,
    chunkSize: number,
    role?: EnforcedRole,
  ): AsyncIterableIterator<QueryResult<Row>> {
    if (this.#isAborted) throw new StoreUnavailable(ENDED);
    const refused = this.#connection ? undefined : this.#idle?.stream.refusal();
    if (refused) throw refused;
    const slow = currentSlowQuery();
    const own = this.#connection ? undefined : await this.#pools.transactions.acquire(slow?.key);
    const answerMs = own ? answerTimeoutFor(slow?.limitMs ?? this.#pools.limits.statementMs) : this.#answerTimeoutMs;
    let finished = false;
    let outgoing: Outgoing | undefined;
    const watched = own && watchStream(own, this.#pools, this.#idle?.stream);
    this.#streams += 1;
    try {
      await this.#begun();
      await this.#settle();
      const connection = own ?? this.#held();
      // Behind a pooler the end of the connection then ends the session, with what the statement may have left in it.
      if (own?.isPooled) await own.send("begin", [], answerMs);
      outgoing = role && (await role.outgoing(this.#sender(own, answerMs), query.sql, query.parameters));
      const { text, parameters } = outgoing ?? { text: query.sql, parameters: query.parameters };
      for await (const rows of connection.stream(text, parameters, chunkSize, answerMs)) {
        if (watched) watched.sent += 1;
        yield { rows: rows as Row[] };
      }
      if (own?.isPooled) await own.send("commit", [], answerMs);
      finished = true;
    } catch (error) {
      throw outgoing ? this.#failedAs(outgoing, error) : error;
    } finally {
      this.#streams -= 1;
      if (watched) unwatchIdle(watched);
      if (own && !watched?.isExpired) this.#pools.transactions.release(own, !finished);
    }
  }

  async begin({ accessMode, isolationLevel }: TransactionSettings): Promise<void> {
    const { transactions, limits } = this.#pools;
    const refused = this.#idle?.transaction.refusal();
    if (refused) throw refused;
    const slow = currentSlowQuery();
    this.#connection = await transactions.acquire(slow?.key);
    this.#connection.changes.hold();
    this.#isEnding = false;
    this.#isReadOnly = accessMode === "read only";
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean).join(" ");
    const limitMs = slow?.limitMs ?? limits.writeMs;
    this.#answerTimeoutMs = answerTimeoutFor(limitMs);
    // Local to the transaction: it works behind a pooler, and no later transaction inherits it.
    const limit = limitMs > 0 ? `; set local statement_timeout = ${Math.round(limitMs)}` : "";
    this.#beginning = this.#connection.send(`begin ${modes}${limit}`, [], answerTimeoutFor(limits.statementMs));
    // Awaited with the first statement, or before it; a rejection in between is not unhandled.
    this.#beginning.catch(() => {});
    if (this.#idle) watchIdle(this, this.#idle.transaction);
  }

  /** All readers wait for the open transaction before they read from a replica. */
  changesAccess(): void {
    this.#changesAccess = true;
  }

  async commit(): Promise<void> {
    await this.#begun();
    const mark = this.#pools.replicas?.markOf(this.#hasWritten && !this.#isReadOnly, this.#changesAccess);
    if (mark) await this.write(mark.statement);
    this.#held().changes.commits();
    const ending = this.#sent(this.#held().endOf("commit", this.#failedRole), []);
    mark?.commits(ending);
    this.#isEnding = true;
    const ended = await this.#answered(ending);
    // With a further statement it is a list of results.
    const result = ended.command === undefined ? (ended[0] as StatementResult) : ended;
    this.#leave(false);
    if (this.#failure) throw this.#failure.error;
    // PostgreSQL answers COMMIT with ROLLBACK where the error of a statement was ignored.
    if (result.command === "ROLLBACK") {
      throw new StoreError("Cannot commit: a statement of the transaction failed, so the transaction was rolled back");
    }
  }

  async rollback(): Promise<void> {
    this.#isEnding = true;
    try {
      if (this.#connection && !this.#connection.isLost)
        await this.#connection.send(
          this.#connection.endOf("rollback", this.#failedRole),
          [],
          answerTimeoutFor(this.#pools.limits.statementMs),
        );
    } catch (error) {
      // The server rolls back on a lost connection.
      if (!this.#connection?.isLost) throw error;
    }
    this.#leave(false);
  }

  async command(text: string): Promise<void> {
    await this.#begun();
    await this.#answered(this.#sent(text, []));
  }

  async rollbackTo(name: string): Promise<void> {
    await this.#sent(`rollback to savepoint ${ident(name)}`, []);
    this.#failure = undefined;
  }

  release(): void {
    this.#leave(true);
  }

  /** Awaits the answer of `begin`. Throws its failure. */
  async #begun(): Promise<void> {
    const beginning = this.#beginning;
    this.#beginning = undefined;
    await beginning;
  }

  /**
   * Sends a statement. The first one of a transaction is pipelined behind `begin` where it is a select that the session knows:
   * it changes nothing if `begin` fails. Throws the failure of `begin` first.
   */
  async #sentWithBegin(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    if (!this.#beginning || !READ.test(text) || !this.#held().hasPrepared(text)) {
      await this.#begun();
      return this.#sent(text, parameters);
    }
    const answer = this.#sent(text, parameters);
    answer.catch(() => {});
    await this.#begun();
    return answer;
  }

  /** Awaits the unanswered writes. Throws their first failure. */
  async #settle(): Promise<void> {
    await this.#last;
    this.#unanswered = 0;
    if (this.#failure) throw this.#failure.error;
  }

  /** Throws the first failure of a write instead of the error that follows from it. */
  async #answered<Result>(answer: PromiseLike<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      throw this.#failure ? this.#failure.error : error;
    } finally {
      this.#unanswered = 0;
    }
  }

  #leave(broken: boolean): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#hasWritten = this.#changesAccess = false;
    if (!connection) return;
    if (this.#idle) unwatchIdle(this);
    connection.changes.release();
    if (this.#failedRole && !connection.isLost) connection.releaseLocks();
    this.#failedRole = false;
    this.#pools.transactions.release(connection, broken);
  }

  /** Notes whether a statement of the transaction does not only read. Returns its text. */
  #noted(text: string): string {
    if (this.#pools.replicas && !isRead(text)) this.#hasWritten = true;
    return text;
  }

  /** Over the connection of a stream, or that of the open transaction. */
  #sender(own?: Connection, answerMs = this.#answerTimeoutMs): Sender {
    const held = () => own ?? this.#held();
    return {
      send: (text, parameters, carried) => held().send(text, parameters, answerMs, carried),
      describe: (text) => this.#answered(held().describe(text, answerMs)),
    };
  }

  /** The error of a role's statement; advisory locks that it took outlive the transaction, so they are released after it. */
  #failedAs(outgoing: Outgoing, error: unknown): unknown {
    this.#failedRole = true;
    return this.#failure?.error === error ? error : outgoing.errorOf(error);
  }

  #sent(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return this.#held().send(text, parameters, this.#answerTimeoutMs);
  }

  /** The connection of the open transaction. */
  #held(): Connection {
    if (this.#isEnding) throw new StoreUnavailable(ENDED);
    if (this.#connection && !this.#connection.isLost) {
      this.sent += 1;
      return this.#connection;
    }
    throw new StoreUnavailable(
      "Cannot continue the transaction: its connection was lost, and the transaction was rolled back",
    );
  }
}
