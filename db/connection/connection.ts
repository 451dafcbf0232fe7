/**
 * One connection: a postgres.js of its own, used until it is lost and never after. By itself postgres.js connects again,
 * but what is asked of it between the failure of a connection and its end is never answered, and may later be taken for
 * whatever is asked next; and what it held back meanwhile goes to a session that knows nothing of the transaction it
 * belongs to. So a loss is told at once to everybody who waits, what was held back is dropped, and whoever wants to go on
 * opens another connection. Nor may postgres.js repeat a statement whose plan has gone stale: it puts it behind what was sent
 * since, a commit perhaps, and takes its answer for another one's.
 * Statements are prepared under their text; a statement with very many parameters is not, as each length of a list
 * would leave another one behind on the server (prefer `= any($1)`). A text without parameters that is no single
 * query goes as it is, so a migration may hold several statements.
 * A statement can have two deadlines. `limit` sets the session's statement_timeout, so that the server ends the statement and
 * the connection stays usable; this is the one place that does so outside transactions. `answerTimeoutMs` is for a server that does
 * not answer at all: the connection is then given up, with everything that waits on it (`deadlines.ts`).
 */
import type postgres from "postgres";
import { ConnectionLost } from "../query/errors.ts";
import { type AnswerDeadlineOptions, AnswerDeadlines } from "./deadlines.ts";
import { outgoing } from "./values.ts";

/** What a connection is made of. */
export interface ConnectionOptions extends AnswerDeadlineOptions {
  /** False behind a pooler that gives each statement another session. */
  readonly prepare: boolean;
  /** Opens postgres.js with one connection, made when it is first needed. */
  open(onLoss: () => void): DriverConnection;
}

/** postgres.js, and a way to end its socket at once; by itself it waits for the server to end it too. */
export interface DriverConnection {
  readonly sql: postgres.Sql;
  destroy(): void;
}

type Query = postgres.PendingQuery<postgres.Row[]>;

/** What a statement comes back with: its rows, and what they belong to. */
export type StatementResult = postgres.RowList<postgres.Row[]>;

const PREPARED_PARAMETERS_MAX = 100;
const ONE_QUERY = /^\s*(?:select|with|insert|update|delete|merge|values)\b[^;]*$/i;
/** Before what is left of a lost connection is put away, so that what it still holds has come to its end. */
const FORGET_MS = 1_000;
const DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED";

/** As postgres.js keeps a statement: `state` once it was sent, and whatever it does not send any more as `cancelled`. */
interface DriverQuery {
  state: { readonly pid: number } | null;
  cancelled: unknown;
  reject(error: unknown): void;
}

/** Failures of statements whose plan had gone stale, which did nothing and can be sent once more. */
const STALE_PLANS = new WeakSet<object>();

/** A connection and those who wait for it. */
export class Connection {
  readonly openedAt = performance.now();
  readonly #sql: postgres.Sql;
  readonly #destroy: () => void;
  readonly #deadlines: AnswerDeadlines;
  readonly #prepare: boolean;
  readonly #prepared = new Set<string>();
  /** Those who wait, with what they asked; a part of a stream is no query of its own. */
  readonly #waiting = new Map<(error: Error) => void, Query | undefined>();
  #isLost = false;
  /** The session's statement_timeout in milliseconds, as far as it was set here. */
  #limitMs = 0;
  /** What the connection broke with, as far as it was told. */
  #cause: unknown;

  constructor(options: ConnectionOptions) {
    const { prepare, open } = options;
    this.#deadlines = new AnswerDeadlines(options, () =>
      this.drop(DEADLINE_EXCEEDED, "The store gave no answer in time"),
    );
    this.#prepare = prepare;
    const { sql, destroy } = open(() => this.#lose());
    this.#sql = sql;
    this.#destroy = destroy;
  }

  /** Whether the connection is gone, or was ended. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** The process of the server that answers, while it has something to do. */
  get pid(): number | undefined {
    for (const query of this.#waiting.values()) {
      const state = (query as unknown as DriverQuery | undefined)?.state;
      if (state) return state.pid;
    }
    return undefined;
  }

  /** How many wait for an answer. */
  get load(): number {
    return this.#waiting.size;
  }

  /** Whether a statement was prepared here, so that another one can be sent before it is answered. */
  hasPrepared(text: string): boolean {
    return this.#prepared.has(text);
  }

  /**
   * Has the server end each further statement after `ms`; sent along with the next one, where that changes anything. The
   * server takes no time for that, so `answerTimeoutMs` may be short.
   */
  limit(ms: number, answerTimeoutMs = 0): void {
    if (this.#limitMs === ms) return;
    this.#limitMs = ms;
    this.send(`set statement_timeout = ${Math.round(ms)}`, [], answerTimeoutMs).catch(() => {
      this.#limitMs = Number.NaN;
    });
  }

  /**
   * Sends a statement: prepared under its text where that pays, and behind those under way. Throws at once what cannot be
   * sent; rejects with what the server says, and with ConnectionLost where the connection is lost or where no answer came
   * within `answerTimeoutMs` (0 waits for ever).
   */
  send(text: string, parameters: readonly unknown[], answerTimeoutMs = 0): Promise<StatementResult> {
    const query = this.#query(text, parameters);
    const answer = this.#awaitAnswer(query, answerTimeoutMs, query);
    if (this.#prepared.has(text) || !this.#isPrepared(text, parameters)) return answer;
    return answer.then((result) => {
      this.#prepared.add(text);
      return result;
    });
  }

  /** Sends a statement that belongs to no transaction: once more where its plan had gone stale, as after a migration. */
  async sendWithRetry(text: string, parameters: readonly unknown[], answerTimeoutMs = 0): Promise<StatementResult> {
    try {
      return await this.send(text, parameters, answerTimeoutMs);
    } catch (error) {
      if (typeof error === "object" && error !== null && STALE_PLANS.has(error))
        return await this.send(text, parameters, answerTimeoutMs);
      throw error;
    }
  }

  /** Sends a statement and reads its answer so many rows at a time, waiting for each part for at most `answerTimeoutMs`. */
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

  /** Ends the connection, letting what runs finish for `timeoutMs`. */
  async end(timeoutMs: number): Promise<void> {
    await this.#sql.end({ timeout: timeoutMs / 1000 });
    this.#lose();
    // The server has had its farewell; one that does not answer would leave the socket half open.
    setTimeout(this.#destroy, FORGET_MS).unref();
  }

  /** Gives the connection up at once: whoever waits is told so, and the server finds the socket closed. */
  drop(code: string, message: string): void {
    if (this.#isLost) return;
    this.#cause = new ConnectionLost(message, code);
    this.#lose();
    this.#destroy();
  }

  #query(text: string, parameters: readonly unknown[]): Query {
    const options = { simple: isSimple(text, parameters), prepare: this.#isPrepared(text, parameters) };
    const query: Query = this.#sql.unsafe<postgres.Row[]>(text, outgoing(this.#sql, parameters), options);
    const kept = query as unknown as DriverQuery;
    // postgres.js notes here that it is about to repeat the statement.
    Object.defineProperty(kept, "retried", {
      get: () => undefined,
      set: (error: object) => {
        this.#prepared.delete(text);
        STALE_PLANS.add(error);
        kept.cancelled = {};
        kept.reject(error);
      },
    });
    return query;
  }

  #isPrepared(text: string, parameters: readonly unknown[]): boolean {
    return this.#prepare && !isSimple(text, parameters) && parameters.length <= PREPARED_PARAMETERS_MAX;
  }

  #awaitAnswer<T>(answer: PromiseLike<T>, answerTimeoutMs: number, query?: Query): Promise<T> {
    if (this.#isLost) return Promise.reject(lost(this.#cause));
    return new Promise((resolve, reject) => {
      this.#waiting.set(reject, query);
      const end = this.#deadlines.begin(answerTimeoutMs);
      const done = () => {
        this.#waiting.delete(reject);
        end();
      };
      answer.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          if (!isOfConnection(error)) return reject(error);
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
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [reject, query] of all) {
      reject(lost(this.#cause));
      // What was never sent would be, over the connection that postgres.js makes next.
      if (query && !(query as unknown as DriverQuery).state) query.cancel();
    }
    setTimeout(() => void this.#sql.end({ timeout: 0 }), FORGET_MS).unref();
  }
}

function isSimple(text: string, { length }: readonly unknown[]): boolean {
  return length === 0 && !ONE_QUERY.test(text);
}

/** Whatever the server says has a severity; what the system or postgres.js says of a connection has a code or a call. */
function isOfConnection(error: unknown): boolean {
  if (typeof error !== "object" || error === null || "severity" in error) return false;
  return "syscall" in error || /^CONNECT/.test(String((error as { code?: unknown }).code));
}

function lost(cause: unknown): ConnectionLost {
  const { code, message } = (cause ?? {}) as { code?: string; message?: string };
  if (code === DEADLINE_EXCEEDED && message !== undefined) return new ConnectionLost(message, code);
  return new ConnectionLost("The connection to the store was lost", code ?? "CONNECTION_CLOSED", cause);
}
