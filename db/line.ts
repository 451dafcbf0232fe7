/**
 * One connection: a postgres.js of its own, used until it is lost and never after. By itself postgres.js connects again,
 * but what is asked of it between the failure of a connection and its end is never answered, and may later be taken for
 * whatever is asked next; and what it held back meanwhile goes to a session that knows nothing of the transaction it
 * belongs to. So a loss is told at once to everybody who waits, what was held back is dropped, and whoever wants to go on
 * opens another line. Nor may postgres.js repeat a statement whose plan has gone stale: it puts it behind what was sent
 * since, a commit perhaps, and takes its answer for another one's.
 * Statements are prepared under their text; a statement with very many parameters is not, as each length of a list
 * would leave another one behind on the server (prefer `= any($1)`). A text without parameters that is no single
 * query goes as it is, so a migration may hold several statements.
 */
import type postgres from "postgres";
import { outgoing } from "./values.ts";

/** What a line is made of. */
export interface LineOptions {
  /** False behind a pooler that gives each statement another session. */
  readonly prepare: boolean;
  /** Opens postgres.js with one connection, made when it is first needed. */
  open(onLoss: () => void): postgres.Sql;
}

type Query = postgres.PendingQuery<postgres.Row[]>;

/** What a statement comes back with: its rows, and what they belong to. */
export type Answered = postgres.RowList<postgres.Row[]>;

const PREPARED_PARAMETERS_MAX = 100;
const ONE_QUERY = /^\s*(?:select|with|insert|update|delete|merge|values)\b[^;]*$/i;
/** Before what is left of a lost connection is put away, so that what it still holds has come to its end. */
const FORGET_MS = 1_000;

/** As postgres.js keeps a statement: `state` once it was sent, and whatever it does not send any more as `cancelled`. */
interface Kept {
  state: unknown;
  cancelled: unknown;
  reject(error: unknown): void;
}

/** Failures of statements whose plan had gone stale, which did nothing and can be sent once more. */
const STALE = new WeakSet<object>();

/** A connection and those who wait for it. */
export class Line {
  readonly openedAt = performance.now();
  readonly #sql: postgres.Sql;
  readonly #prepare: boolean;
  readonly #prepared = new Set<string>();
  /** Those who wait, with what they asked; a part of a stream is nothing of its own. */
  readonly #waiting = new Map<(error: Error) => void, Query | undefined>();
  #isLost = false;
  /** What the connection broke with, as far as it was told. */
  #cause: unknown;

  constructor({ prepare, open }: LineOptions) {
    this.#prepare = prepare;
    this.#sql = open(() => this.#lose());
  }

  /** Whether the connection is gone, or was ended. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** How many wait for an answer. */
  get load(): number {
    return this.#waiting.size;
  }

  /** Whether a statement was prepared here, so that another one can be sent before it is answered. */
  knows(text: string): boolean {
    return this.#prepared.has(text);
  }

  /**
   * Sends a statement: prepared under its text where that pays, and behind those under way. Throws at once what cannot be
   * sent; rejects with what the server says, and with code CONNECTION_CLOSED where the connection is lost.
   */
  send(text: string, parameters: readonly unknown[]): Promise<Answered> {
    const query = this.#query(text, parameters);
    const answer = this.#until(query, query);
    if (this.#prepared.has(text) || !this.#isPrepared(text, parameters)) return answer;
    return answer.then((result) => {
      this.#prepared.add(text);
      return result;
    });
  }

  /** Sends a statement that belongs to no transaction: once more where its plan had gone stale, as after a migration. */
  async ask(text: string, parameters: readonly unknown[]): Promise<Answered> {
    try {
      return await this.send(text, parameters);
    } catch (error) {
      if (typeof error === "object" && error !== null && STALE.has(error)) return await this.send(text, parameters);
      throw error;
    }
  }

  /** Sends a statement and reads its answer so many rows at a time. */
  async *stream(text: string, parameters: readonly unknown[], size: number): AsyncIterableIterator<postgres.Row[]> {
    const cursor = this.#query(text, parameters).cursor(size)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.#until(cursor.next());
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
  }

  #query(text: string, parameters: readonly unknown[]): Query {
    const options = { simple: isSimple(text, parameters), prepare: this.#isPrepared(text, parameters) };
    const query: Query = this.#sql.unsafe<postgres.Row[]>(text, outgoing(this.#sql, parameters), options);
    const kept = query as unknown as Kept;
    // postgres.js notes here that it is about to repeat the statement.
    Object.defineProperty(kept, "retried", {
      get: () => undefined,
      set: (error: object) => {
        this.#prepared.delete(text);
        STALE.add(error);
        kept.cancelled = {};
        kept.reject(error);
      },
    });
    return query;
  }

  #isPrepared(text: string, parameters: readonly unknown[]): boolean {
    return this.#prepare && !isSimple(text, parameters) && parameters.length <= PREPARED_PARAMETERS_MAX;
  }

  #until<T>(answer: PromiseLike<T>, query?: Query): Promise<T> {
    if (this.#isLost) return Promise.reject(lost(this.#cause));
    return new Promise((resolve, reject) => {
      this.#waiting.set(reject, query);
      const done = () => this.#waiting.delete(reject);
      answer.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          // Whatever the server says has a severity; the rest is about the connection.
          if (error instanceof Error && !("severity" in error)) this.#cause ??= error;
          reject(error);
        },
      );
    });
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const [reject, query] of all) {
      reject(lost(this.#cause));
      // What was never sent would be, over the connection that postgres.js makes next.
      if (query && !(query as unknown as Kept).state) query.cancel();
    }
    setTimeout(() => void this.#sql.end({ timeout: 0 }), FORGET_MS).unref();
  }
}

function isSimple(text: string, { length }: readonly unknown[]): boolean {
  return length === 0 && !ONE_QUERY.test(text);
}

function lost(cause: unknown): Error {
  return Object.assign(new Error("The connection to the store was lost", { cause }), { code: "CONNECTION_CLOSED" });
}
