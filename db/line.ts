/**
 * One connection: a postgres.js of its own, used until it is lost and never after. By itself postgres.js connects again,
 * but what is asked of it between the failure of a connection and its end is never answered, and may later be taken for
 * whatever is asked next; and what it held back meanwhile goes to a session that knows nothing of the transaction it
 * belongs to. So a loss is told at once to everybody who waits, and whoever wants to go on opens another line.
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

/** What a statement comes back with: its rows, and what they belong to. */
export type Answered = postgres.RowList<postgres.Row[]>;

const PREPARED_PARAMETERS_MAX = 100;
const ONE_QUERY = /^\s*(?:select|with|insert|update|delete|merge|values)\b[^;]*$/i;
/** Before what is left of a lost connection is put away, so that what it still holds has come to its end. */
const FORGET_MS = 1_000;

/** A connection and those who wait for it. */
export class Line {
  readonly openedAt = performance.now();
  readonly #sql: postgres.Sql;
  readonly #prepare: boolean;
  readonly #prepared = new Set<string>();
  readonly #waiting = new Set<(error: Error) => void>();
  #isLost = false;

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
    const answer = this.#until(this.#query(text, parameters));
    if (this.#prepared.has(text) || !this.#isPrepared(text, parameters)) return answer;
    return answer.then((result) => {
      this.#prepared.add(text);
      return result;
    });
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
      await cursor.return?.();
    }
  }

  /** Ends the connection, letting what runs finish for `timeoutMs`. */
  async end(timeoutMs: number): Promise<void> {
    await this.#sql.end({ timeout: timeoutMs / 1000 });
    this.#lose();
  }

  #query(text: string, parameters: readonly unknown[]): postgres.PendingQuery<postgres.Row[]> {
    const options = { simple: isSimple(text, parameters), prepare: this.#isPrepared(text, parameters) };
    return this.#sql.unsafe(text, outgoing(this.#sql, parameters), options);
  }

  #isPrepared(text: string, parameters: readonly unknown[]): boolean {
    return this.#prepare && !isSimple(text, parameters) && parameters.length <= PREPARED_PARAMETERS_MAX;
  }

  #until<T>(answer: PromiseLike<T>): Promise<T> {
    if (this.#isLost) return Promise.reject(lost());
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      const done = () => this.#waiting.delete(reject);
      answer.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
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
    for (const reject of all) reject(lost());
    setTimeout(() => void this.#sql.end({ timeout: 0 }), FORGET_MS).unref();
  }
}

function isSimple(text: string, { length }: readonly unknown[]): boolean {
  return length === 0 && !ONE_QUERY.test(text);
}

function lost(): Error {
  return Object.assign(new Error("The connection to the store was lost"), { code: "CONNECTION_CLOSED" });
}
