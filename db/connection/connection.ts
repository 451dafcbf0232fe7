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
 */
import type postgres from "postgres";
import { ConnectionLost } from "../query/errors.ts";
import { ConnectionChanges } from "./changes.ts";
import { type AnswerDeadlineOptions, AnswerDeadlines } from "./deadlines.ts";
import { outgoing } from "./values.ts";

/** Options of a connection. */
export interface ConnectionOptions extends AnswerDeadlineOptions {
  /** False behind a pooler in transaction mode. */
  readonly prepare: boolean;
  /** Opens postgres.js with one connection, which connects at first use. */
  open(onLoss: () => void): DriverConnection;
  /** Who is shown each statement that is sent; nobody by default. */
  observer?(): StatementObserver | undefined;
}

/** A statement as it is sent, without its parameters; `name` is that of a prepared one. */
export interface SentStatement {
  readonly text: string;
  readonly name?: string | undefined;
}

/** Is shown a statement when it is sent, and its answer, which it must not change. */
export type StatementObserver = (statement: SentStatement, answer: Promise<unknown>) => void;

/** postgres.js, with a function that destroys its socket; by itself it waits for the server to close it. */
export interface DriverConnection {
  readonly sql: postgres.Sql;
  destroy(): void;
}

type Query = postgres.PendingQuery<postgres.Row[]>;

/** The rows of a statement, with its command and count. */
export type StatementResult = postgres.RowList<postgres.Row[]>;

/** What the server says about a statement without running it. */
export interface Description {
  /** The types of its parameters, by oid of pg_type. */
  readonly types: readonly number[];
  /** Its columns; none for a statement that returns no rows. */
  readonly columns: readonly { readonly name: string; readonly type: number }[];
  /** A value as the driver sends it for a type. */
  serialize(type: number, value: unknown): string;
}

type Described = Pick<Description, "types" | "columns">;
interface Serializing {
  readonly serializers: Readonly<Record<number, (value: unknown) => string>>;
}

const MAX_PREPARED_PARAMETERS = 100;
const ONE_QUERY = /^\s*(?:select|with|insert|update|delete|merge|values)\b[^;]*$/i;
/** Milliseconds after a loss before postgres.js is ended, so that its pending work has failed by then. */
const CLEANUP_MS = 1_000;
const DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED";

/** Internals of a statement of postgres.js: `state` is set when it is sent; with `cancelled` it is not sent any more. */
interface DriverQuery {
  state: { readonly pid: number } | null;
  cancelled: unknown;
  reject(error: unknown): void;
}

/** Errors of statements with a stale plan, which had no effect and can be sent again. */
const STALE_PLANS = new WeakSet<object>();

/** A connection and its pending statements. */
export class Connection {
  readonly openedAt = performance.now();
  /** The changes of watched tables that are neither committed nor undone. */
  readonly changes = new ConnectionChanges();
  readonly #sql: postgres.Sql;
  readonly #destroy: () => void;
  readonly #deadlines: AnswerDeadlines;
  readonly #observer: (() => StatementObserver | undefined) | undefined;
  readonly #prepare: boolean;
  readonly #prepared = new Set<string>();
  /** Pending statements by their reject function; undefined for a part of a stream. */
  readonly #pending = new Map<(error: Error) => void, Query | undefined>();
  #isLost = false;
  /** The session's statement_timeout in milliseconds, as set by `limit`. */
  #limitMs = 0;
  /** The error of the loss, where known. */
  #cause: unknown;

  constructor(options: ConnectionOptions) {
    const { prepare, open } = options;
    this.#observer = options.observer;
    this.#deadlines = new AnswerDeadlines(options, () =>
      this.drop(DEADLINE_EXCEEDED, "The store gave no answer in time"),
    );
    this.#prepare = prepare;
    const { sql, destroy } = open(() => this.#lose());
    this.#sql = sql;
    this.#destroy = destroy;
  }

  /** Whether the connection was lost or ended. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The pid of the server process, while a statement runs. */
  get pid(): number | undefined {
    for (const query of this.#pending.values()) {
      const state = (query as unknown as DriverQuery | undefined)?.state;
      if (state) return state.pid;
    }
    return undefined;
  }

  /** The number of pending statements. */
  get load(): number {
    return this.#pending.size;
  }

  /** Records a change that a statement made; `end` is called when it is committed or undone. */
  addChange(end: () => void): void {
    this.changes.add(end, this.#pending.keys());
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
    this.send(`set statement_timeout = ${Math.round(ms)}`, [], answerTimeoutMs).catch(() => {
      this.#limitMs = Number.NaN;
    });
  }

  /**
   * Sends a statement, pipelined behind the pending ones. Throws TypeError for a parameter that cannot be sent; rejects with
   * the server's error, or with ConnectionLost on a loss or without an answer within `answerTimeoutMs` (0 for no limit).
   */
  send(text: string, parameters: readonly unknown[], answerTimeoutMs = 0): Promise<StatementResult> {
    const query = this.#query(text, parameters);
    const answer = this.#awaitAnswer(query, answerTimeoutMs, query);
    this.#observer?.()?.({ text }, answer);
    if (this.#prepared.has(text) || !this.#isPrepared(text, parameters)) return answer;
    return answer.then((result) => {
      this.#prepared.add(text);
      return result;
    });
  }

  /** Sends a statement outside transactions, and again where its plan was stale, as after a migration. */
  async sendWithRetry(text: string, parameters: readonly unknown[], answerTimeoutMs = 0): Promise<StatementResult> {
    try {
      return await this.send(text, parameters, answerTimeoutMs);
    } catch (error) {
      if (typeof error === "object" && error !== null && STALE_PLANS.has(error))
        return await this.send(text, parameters, answerTimeoutMs);
      throw error;
    }
  }

  /** Releases the advisory locks that a failed statement of a plugin may have left: errors do not release those of sessions. */
  releaseLocks(): void {
    this.send("select pg_advisory_unlock_all()", []).catch(() => {
      // A lost connection holds none.
    });
  }

  /** Has the server parse a statement, which runs nothing. Rejects as `send` does. */
  async describe(text: string, answerTimeoutMs = 0): Promise<Description> {
    const query = this.#sql.unsafe(text);
    const described = query.describe();
    // Nothing refers to it later, so the server need not keep it under a name.
    (query as unknown as { options: { prepare: boolean } }).options.prepare = false;
    const { types, columns } = await this.#awaitAnswer(described as PromiseLike<Described>, answerTimeoutMs);
    const { serializers } = this.#sql.options as unknown as Pick<Serializing, "serializers">;
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
        const { done, value } = await this.#awaitAnswer(cursor.next(), answerTimeoutMs);
        if (done) return;
        yield value as unknown as postgres.Row[];
      }
    } finally {
      if (!this.#isLost) await cursor.return?.();
    }
  }

  /** Ends the connection after its pending statements, at most `timeoutMs` later. */
  async end(timeoutMs: number): Promise<void> {
    await this.#sql.end({ timeout: timeoutMs / 1000 });
    this.#lose();
    // A server that does not answer would leave the socket half open.
    setTimeout(this.#destroy, CLEANUP_MS).unref();
  }

  /** Drops the connection at once: rejects pending statements and destroys the socket. */
  drop(code: string, message: string): void {
    if (this.#isLost) return;
    this.#cause = new ConnectionLost(message, code);
    this.#lose();
    this.#destroy();
  }

  #query(text: string, parameters: readonly unknown[]): Query {
    const options = { simple: isSimple(text, parameters), prepare: this.#isPrepared(text, parameters) };
    const query: Query = this.#sql.unsafe<postgres.Row[]>(text, outgoing(this.#sql, parameters), options);
    const internals = query as unknown as DriverQuery;
    // postgres.js sets this when it is about to repeat the statement.
    Object.defineProperty(internals, "retried", {
      get: () => undefined,
      set: (error: object) => {
        this.#prepared.delete(text);
        STALE_PLANS.add(error);
        internals.cancelled = {};
        internals.reject(error);
      },
    });
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
          if (!isConnectionError(error)) return reject(error);
          this.#cause ??= error;
          reject(lost(error));
        },
      );
    });
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#deadlines.end();
    this.changes.lost();
    const all = [...this.#pending];
    this.#pending.clear();
    for (const [reject, query] of all) {
      reject(lost(this.#cause));
      // A queued statement would be sent over the next connection of postgres.js.
      if (query && !(query as unknown as DriverQuery).state) query.cancel();
    }
    setTimeout(() => void this.#sql.end({ timeout: 0 }), CLEANUP_MS).unref();
  }
}

function isSimple(text: string, { length }: readonly unknown[]): boolean {
  return length === 0 && !ONE_QUERY.test(text);
}

/** Whether an error is of the connection: those of the server have a severity, those of sockets and postgres.js a code. */
function isConnectionError(error: unknown): boolean {
  if (typeof error !== "object" || error === null || "severity" in error) return false;
  return "syscall" in error || /^CONNECT/.test(String((error as { code?: unknown }).code));
}

function lost(cause: unknown): ConnectionLost {
  const { code, message } = (cause ?? {}) as { code?: string; message?: string };
  if (code === DEADLINE_EXCEEDED && message !== undefined) return new ConnectionLost(message, code);
  return new ConnectionLost("The connection to the store was lost", code ?? "CONNECTION_CLOSED", cause);
}
