/**
 * When rows such as tokens and sessions were last used. Each request would write otherwise, so uses are noted in memory and written in
 * batches. What a process that is killed has noted is lost; while the store is away, it is kept.
 */
import { sql } from "kysely";
import { ConnectionLost, type Db, rows, type TableName } from "../db/mod.ts";
import type { Log } from "./log.ts";

/** The columns that one kind of use is written to. */
export interface UseColumns {
  /** A timestamptz: when the row was last used. */
  readonly at: string;
  /** A text about that use, such as the client's address. */
  readonly detail?: string;
}

/** Options of a batch. */
export interface LastUsedOptions<Kind extends string> {
  readonly db: Pick<Db, "executeQuery">;
  readonly log: Log;
  readonly table: TableName;
  /** What its rows are, as the log says it: "tokens". */
  readonly subject: string;
  readonly columns: Readonly<Record<Kind, UseColumns>>;
  /** Milliseconds from the first use that is noted to the write. */
  readonly flushMs: number;
}

interface Use {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly detail: string;
}

/**
 * Collects when rows were last used and writes that in batches, one statement for each kind of use, so that no request waits
 * for it. The time of a row never moves back.
 * @example
 * const { db, log, onStop } = context;
 * const columns = { read: { at: "last_read_at" } };
 * const lastRead = new LastUsedBatch({ db, log, table: "notes", subject: "notes", columns, flushMs: 10_000 });
 * onStop(() => lastRead.flush());
 * lastRead.note("read", 1);
 */
export class LastUsedBatch<Kind extends string> {
  readonly #options: LastUsedOptions<Kind>;
  #noted = new Map<Kind, Map<number, Use>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LastUsedOptions<Kind>) {
    this.#options = options;
  }

  /** Notes a use of a row; `at` in milliseconds since 1970. */
  note(kind: Kind, id: number, detail = "", at = Date.now()): void {
    let uses = this.#noted.get(kind);
    if (!uses) {
      uses = new Map();
      this.#noted.set(kind, uses);
    }
    uses.set(id, { at, detail });
    if (this.#timer) return;
    this.#timer = setTimeout(() => void this.flush(), this.#options.flushMs);
    this.#timer.unref();
  }

  /**
   * Writes what was noted, after a write under way. While the store is away, which has a line in the log, uses are kept for the next
   * write. Another failure is logged; the uses it concerns are lost.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const noted = this.#noted;
    this.#noted = new Map();
    if (noted.size > 0) this.#writing = this.#writing.then(() => this.#write(noted));
    return this.#writing;
  }

  async #write(noted: ReadonlyMap<Kind, ReadonlyMap<number, Use>>): Promise<void> {
    const { db, log, table, subject, columns } = this.#options;
    try {
      for (const [kind, uses] of noted) {
        const { at, detail } = columns[kind];
        const values = [...uses.values()];
        const column = sql.ref(`${table}.${at}`);
        const sets = [
          sql`${sql.id(at)} = used.at`,
          ...(detail === undefined ? [] : [sql`${sql.id(detail)} = used.detail`]),
        ];
        // A template, since table and columns are options.
        await rows(
          db,
          sql`update ${sql.table(table)} set ${sql.join(sets)}
            from unnest(${[...uses.keys()]}::integer[], ${values.map((use) => new Date(use.at).toISOString())}::timestamptz[],
              ${values.map((use) => use.detail)}::text[]) as used (id, at, detail)
            where ${sql.ref(`${table}.id`)} = used.id and (${column} is null or ${column} <= used.at)`,
        );
      }
    } catch (error) {
      if (error instanceof ConnectionLost) return this.#keep(noted);
      log.warn(`Cannot write when ${subject} were last used`, { error });
    }
  }

  /** Notes uses again that were not written; later ones stay. */
  #keep(noted: ReadonlyMap<Kind, ReadonlyMap<number, Use>>): void {
    for (const [kind, uses] of noted)
      for (const [id, { at, detail }] of uses) if (!this.#noted.get(kind)?.has(id)) this.note(kind, id, detail, at);
  }
}
