/**
 * One connection: a postgres.js instance with one socket, used until it is lost and never after. postgres.js reconnects by
 * itself, but a statement sent between the failure of a connection and its end is never answered and may get the answer of a
 * later one, and statements it queued go to a session outside their transaction. So a loss rejects all pending statements at
 * once, queued ones are dropped, and the pool opens another connection. Nor may postgres.js repeat a statement with a stale
 * plan: it would run after statements that were sent since, such as a commit, and swap their answers.
 *
 * Statements are prepared under their text, except those with very many parameters: each length of a list would leave a
 * prepared statement on the server (prefer `= any($1)`). A text without parameters that is no single query is sent by the
 * simple protocol, so a migration may hold several statements.
 *
 * A statement can have two deadlines. `limit` sets the session's statement_timeout: the server cancels the statement and the
 * connection stays usable; outside transactions it is set only here. `answerTimeoutMs` is for a server that does not answer:
 * the connection is dropped with all its pending statements (`deadlines.ts`).
 *
 * Behind a pooler in transaction mode (`isPooled`) the session is shared with other clients and changes from one transaction
 * to the next: settings are local to a transaction, which a single statement gets for itself (`sendAlone`).
 */
import type postgres from "postgres";
import { ConnectionLost } from "../query/errors.ts";
import { codeOf } from "../query/unknown_values.ts";
import { type ChangeObserver, ConnectionChanges, showNotice } from "./changes.ts";
import { DEADLINE_EXCEEDED, isConnectionError, lost, READ_ONLY } from "./connection_errors.ts";
import type {
  ConnectionOptions,
  Description,
  DriverConnection,
  SentStatement,
  ServerProcess,
  SessionSettings,
  StatementObserver,
  StatementResult,
} from "./connection_types.ts";
import { AnswerDeadlines } from "./deadlines.ts";
import { type DriverQuery, isStalePlan, neverRepeated } from "./driver_query.ts";
import { beginText, endText, UNLOCK } from "./pooled.ts";
import { outgoing } from "./values.ts";

type Query = postgres.PendingQuery<postgres.Row[]>;

type Described = Pick<Description, "types" | "columns">;
interface Serializing {
  readonly serializers: Readonly<Record<number, (value: unknown) => string>>;
}

const MAX_PREPARED_PARAMETERS = 100;
const ONE_QUERY = /^\s*(?:select|with|insert|update|delete|merge|values)\b[^;]*$/i;
/** Milliseconds after a loss before postgres.js is ended, so that its pending work has failed by then. */
const CLEANUP_MS = 1_000;

/** A connection and its pending statements. */
export class Connection {
  readonly openedAt = performance.now();
  /** The changes of watched tables that are neither committed nor undone. */
  readonly changes = new ConnectionChanges();
  readonly #sql: postgres.Sql;
  readonly #driver: DriverConnection;
  readonly #deadlines: AnswerDeadlines;
  readonly #observer: (() => StatementObserver | undefined) | undefined;
  readonly #prepare: boolean;
  /** Whether a pooler in transaction mode is between this and the server. */
  readonly isPooled: boolean;
  readonly #prepared = new Set<string>();
  /** Pending statements by their reject function; undefined for a part of a stream. */
  readonly #pending = new Map<(error: Error) => void, Query | undefined>();
  #isLost = false;
  #isEnding = false;
  readonly #onLost: (() => void) | undefined;
  #isReadOnly = false;
  #settings: SessionSettings = {};
  #process: ServerProcess | undefined;
  /** The session's statement_timeout in milliseconds, as set by `limit`. */
  #limitMs = 0;
  /** The error of the loss, where known. */
  #cause: unknown;

  constructor(options: ConnectionOptions) {
    const { prepare, isPooled = false, open } = options;
    this.#observer = options.observer;
    this.#onLost = options.onLost;
    this.#deadlines = new AnswerDeadlines(options, () =>
      this.drop(DEADLINE_EXCEEDED, "The store gave no answer in time"),
    );
    this.#prepare = prepare;
    this.isPooled = isPooled;
    this.#driver = open(() => this.#lose());
    this.#sql = this.#driver.sql;
  }

  /** Whether the connection was lost or ended. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether a pool has to replace the connection: it is lost, older than `maxAgeMs`, or its server accepts no writes any more. */
  isWornOut(maxAgeMs: number): boolean {
    if (this.#isLost || this.#isReadOnly || this.#driver.isFormer?.()) return true;
    return performance.now() - this.openedAt > maxAgeMs;
  }

  /** The server process, while a statement runs. */
  get process(): ServerProcess | undefined {
    if (this.isPooled) return this.#process;
    for (const query of this.#pending.values()) {
      const state = (query as DriverQuery | undefined)?.state;
      if (state) return { pid: state.pid };
    }
    return undefined;
  }

  /** The number of pending statements. */
  get load(): number {
    return this.#pending.size;
  }

  /** Shows an observer the change that a notice of this connection reports, and others their text. */
  noticed(notice: postgres.Notice, observer: ChangeObserver | undefined, show?: (text: string) => void): void {
    const change = showNotice(notice, show);
    if (change && observer) this.changes.add(observer(change), this.#pending.keys());
  }

  /** Whether a statement is prepared on this session, so that postgres.js pipelines it. */
  hasPrepared(text: string): boolean {
    return this.#prepared.has(text);
  }

  /**
   * Sets the statement_timeout of further statements, pipelined before the next one where it differs. `answerTimeoutMs` may be
   * short: the server sets it at once.
   */
  limit(ms: number, answerTimeoutMs = 0): void {
    if (this.#limitMs === ms) return;
    this.#limitMs = ms;
    if (this.isPooled) return;
    this.send(`set statement_timeout = ${Math.round(ms)}`, [], answerTimeoutMs).catch(() => {
      this.#limitMs = Number.NaN;
    });
  }

  /** Sets settings of the session that differ from those before, pipelined before the next statement. */
  configure(settings: SessionSettings, answerTimeoutMs = 0): void {
    const before = this.#settings;
    const changed = Object.entries(settings).filter(([name, value]) => before[name] !== value);
    if (changed.length === 0) return;
    this.#settings = { ...before, ...settings };
    if (this.isPooled) return;
    const text = changed.map(([name, value]) => `set ${name} = ${value}`).join("; ");
    this.send(text, [], answerTimeoutMs).catch(() => {
      this.#settings = before;
    });
  }

  /**
   * Sends a statement, pipelined behind the pending ones. Throws TypeError for a parameter that cannot be sent; rejects with
   * the server's error, or with ConnectionLost on a loss or without an answer within `answerTimeoutMs` (0 for no limit).
   * Observers are shown `carried` in place of the text.
   */
  send(
    text: string,
    parameters: readonly unknown[],
    answerTimeoutMs = 0,
    carried?: SentStatement,
  ): Promise<StatementResult> {
    const query = this.#query(text, parameters);
    const answer = this.#awaitAnswer(query, answerTimeoutMs, query);
    this.#observer?.()?.(carried ?? { text }, answer);
    if (this.#prepared.has(text) || !this.#isPrepared(text, parameters)) return answer;
    return answer.then((result) => {
      this.#prepared.add(text);
      return result;
    });
  }

  /**
   * Sends a statement outside transactions, and again where its plan was stale, as after a migration. `carried` is that of a
   * plugin's role, for which the text is a call: advisory locks that it may have left are released where it failed, since errors
   * do not release those of sessions.
   */
  async sendAlone(
    text: string,
    parameters: readonly unknown[],
    answerTimeoutMs = 0,
    carried?: SentStatement,
  ): Promise<StatementResult> {
    const asRole = carried !== undefined;
    const sent = () => this.send(text, parameters, answerTimeoutMs, carried);
    const send = () => this.#within(sent, answerTimeoutMs, asRole);
    try {
      return await send().catch((error: unknown) => {
        if (isStalePlan(error)) return send();
        throw error;
      });
    } catch (error) {
      if (asRole && !this.#isLost) this.releaseLocks();
      throw error;
    }
  }

  /** Describes a statement outside transactions. Rejects as `send` does. */
  describeAlone(text: string, answerTimeoutMs = 0): Promise<Description> {
    return this.#within(() => this.describe(text, answerTimeoutMs), answerTimeoutMs, false);
  }

  /** Releases the advisory locks of the session. Behind a pooler that is part of `endOf`. */
  releaseLocks(): void {
    if (this.isPooled) return;
    this.send(UNLOCK, []).catch(() => {
      // A lost connection holds none.
    });
  }

  /** The text that ends a transaction by `command`; if `unlocks`, also the advisory locks that a role's statement may have left. */
  endOf(command: "commit" | "rollback", unlocks: boolean): string {
    return endText(command, unlocks && this.isPooled);
  }

  /** Sends one statement; behind a pooler in a transaction of its own (`pooled.ts`). */
  async #within<T>(send: () => Promise<T>, answerTimeoutMs: number, asRole: boolean): Promise<T> {
    const limit: SessionSettings = this.#limitMs > 0 ? { statement_timeout: String(Math.round(this.#limitMs)) } : {};
    const settings = { ...limit, ...this.#settings };
    if (!this.isPooled || (Object.keys(settings).length === 0 && !asRole)) return await send();
    const begun = this.send(beginText(settings), [], answerTimeoutMs).then((results) => {
      this.#process = (results.at(-1) as readonly ServerProcess[])[0];
    });
    const answer = send();
    const ended = this.send(endText("commit", asRole), [], answerTimeoutMs);
    const outcomes = await Promise.allSettled([begun, answer, ended]);
    this.#process = undefined;
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return await answer;
  }

  /** Has the server parse a statement, which runs nothing. Rejects as `send` does. */
  async describe(text: string, answerTimeoutMs = 0): Promise<Description> {
    const query = this.#sql.unsafe(text);
    const described = query.describe();
    // Nothing refers to it later, so the server need not keep it under a name. postgres.js does not declare these options.
    (query as unknown as { options: { prepare: boolean } }).options.prepare = false;
    const { types, columns } = await this.#awaitAnswer(described as PromiseLike<Described>, answerTimeoutMs);
    const { serializers } = this.#sql.options as Pick<Serializing, "serializers">;
    return {
      types: [...types],
      columns: columns.map(({ name, type }) => ({ name, type })),
      serialize: (type, value) => serializers[type]?.(value) ?? String(value),
    };
  }

  /** Streams the rows of a statement, `size` at a time; `answerTimeoutMs` holds for each part. */
  async *stream(
    text: string,
    parameters: readonly unknown[],
    size: number,
    answerTimeoutMs = 0,
  ): AsyncIterableIterator<postgres.Row[]> {
    const cursor = this.#query(text, parameters).cursor(size)[Symbol.asyncIterator]();
    try {
      for (;;) {
        // A part that is asked for after a loss would be rejected once more, with nobody to hear of it.
        if (this.#isLost) throw lost(this.#cause);
        const { done, value } = await this.#awaitAnswer(cursor.next(), answerTimeoutMs);
        if (done) return;
        yield value as postgres.Row[];
      }
    } finally {
      if (!this.#isLost) await cursor.return?.();
    }
  }

  /** Ends the connection after its pending statements, at most `timeoutMs` later. */
  async end(timeoutMs: number): Promise<void> {
    this.#isEnding = true;
    await this.#sql.end({ timeout: timeoutMs / 1000 });
    this.#lose();
    // A server that does not answer would leave the socket half open.
    setTimeout(() => this.#driver.destroy(), CLEANUP_MS).unref();
  }

  /** Drops the connection at once: rejects pending statements and destroys the socket. */
  drop(code: string, message: string): void {
    if (this.#isLost) return;
    this.#cause = new ConnectionLost(message, code);
    this.#lose();
    this.#driver.destroy();
  }

  #query(text: string, parameters: readonly unknown[]): Query {
    const options = { simple: isSimple(text, parameters), prepare: this.#isPrepared(text, parameters) };
    const query: Query = this.#sql.unsafe<postgres.Row[]>(text, outgoing(this.#sql, parameters), options);
    // postgres.js does not declare the members of a statement that this needs.
    neverRepeated(query as unknown as DriverQuery, () => this.#prepared.delete(text));
    return query;
  }

  #isPrepared(text: string, parameters: readonly unknown[]): boolean {
    return this.#prepare && !isSimple(text, parameters) && parameters.length <= MAX_PREPARED_PARAMETERS;
  }

  #awaitAnswer<T>(answer: PromiseLike<T>, answerTimeoutMs: number, query?: Query): Promise<T> {
    if (this.#isLost) return Promise.reject(lost(this.#cause));
    return new Promise((resolve, reject) => {
      this.#pending.set(reject, query);
      const end = this.#deadlines.begin(answerTimeoutMs);
      const done = () => {
        this.#pending.delete(reject);
        this.changes.answered(reject);
        end();
      };
      answer.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          if (codeOf(error) === READ_ONLY) this.#wearOut();
          if (!isConnectionError(error)) return reject(error);
          this.#cause ??= error;
          reject(lost(error));
        },
      );
    });
  }

  #wearOut(): void {
    this.#isReadOnly = true;
    this.#driver.onReadOnly?.();
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    if (!this.#isEnding) this.#onLost?.();
    this.#deadlines.end();
    this.changes.lost();
    const all = [...this.#pending];
    this.#pending.clear();
    for (const [reject, query] of all) {
      reject(lost(this.#cause));
      // A queued statement, whose state postgres.js does not declare, would be sent over its next connection.
      if (query && !(query as unknown as DriverQuery).state) query.cancel();
    }
    setTimeout(() => void this.#sql.end({ timeout: 0 }), CLEANUP_MS).unref();
  }
}

function isSimple(text: string, { length }: readonly unknown[]): boolean {
  return length === 0 && !ONE_QUERY.test(text);
}
