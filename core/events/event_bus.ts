/**
 * Events: how plugins take part in what others do. An event has five moments. `beforeTransaction` handlers run first, for
 * what takes long and asks the store for nothing. `filter` may replace the draft, `veto` may refuse it (403 with the
 * reason), then the action itself runs, and `inTransaction` handlers write alongside: these share one transaction, so a
 * throw anywhere rolls all of it back. `notify` handlers run after the commit, are not waited for, and their failures are
 * logged, never answered. Handlers run in boot order. What must not be lost is enqueued in `inTransaction`: the jobs table
 * is the outbox.
 *
 * A transaction that lost a race in the store (serialisation, deadlock, a unique name taken meanwhile) is run again from
 * its filters on; handlers of the three moments within must therefore act on the store alone, or take the rest back in
 * `onRollback`.
 */
import { type Db, StoreError } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import { addressNow } from "../http/asking.ts";
import { codeOf, unknownOutcomeError } from "../http/store_errors.ts";
import type { Log } from "../log.ts";
import type { Draft, EventName, JobName, Jobs, Result } from "../runtime/registry.ts";
import type { Viewer } from "../viewer.ts";
import { rootTransaction } from "./scoped_transaction.ts";

/** What handlers inside a transaction get: the transaction, and who and when it is for. */
export interface EventTransaction {
  /** The open transaction, over the tables the plugin was granted; every write of an action or an `inTransaction` handler goes through it. */
  readonly db: Db;
  readonly viewer: Viewer;
  /** When the outermost action began: ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** Where the request came from that this happens for; undefined for commands, jobs and schedules. */
  readonly address: string | undefined;
  /** Performs another event inside this transaction. */
  perform<E extends EventName, R extends Result<E>>(name: E, draft: Draft<E>, action: Action<E, R>): Promise<R>;
  /** Writes a job in this transaction: it exists exactly if the action is committed. */
  enqueue<J extends JobName>(name: J, payload: Jobs[J], options?: EnqueueOptions): Promise<void>;
  /**
   * Runs after the commit and before the answer, for what is quick and cannot be refused any more: forgetting a cached
   * value, removing a file that no row names. Runs in the order of asking; a failure is logged, never answered.
   */
  afterCommit(run: () => unknown): void;
  /**
   * Runs if this transaction is rolled back, last first: takes back what was done beside the store, such as a file that
   * was written. The same holds for failures. A transaction that is run again is rolled back first. Where the connection
   * breaks before the commit was answered nobody knows, and nothing is taken back: too much is better than too little.
   */
  onRollback(run: () => unknown): void;
}

/** Options of a single job. */
export interface EnqueueOptions {
  /** Not before this many milliseconds from now. */
  readonly delayMs?: number;
  /** At most one waiting job of this name has this key; a second one is not written. */
  readonly key?: string;
}

/** What an event does: changes the store and returns the result. */
export type Action<E extends EventName, R = Result<E>> = (draft: Draft<E>, tx: EventTransaction) => Promise<R>;

/** What `inTransaction` and `notify` learn of an event. */
export interface EventRecord<E extends EventName = EventName> {
  readonly name: E;
  readonly draft: Draft<E>;
  readonly result: Result<E>;
  readonly viewer: Viewer;
  readonly at: string;
}

/** Handlers of one event; each moment is optional. */
export interface Handlers<E extends EventName> {
  /**
   * Before any transaction begins, so that nobody waits for a connection meanwhile: decoding a picture, say. A throw ends
   * the event. Not called for events performed within others, which are in a transaction already.
   */
  beforeTransaction?(draft: Draft<E>, viewer: Viewer): void | Promise<void>;
  /** Returns another draft, or nothing to leave it. */
  filter?(draft: Draft<E>, tx: EventTransaction): Draft<E> | undefined | Promise<Draft<E> | undefined>;
  /** Returns a reason to refuse, which the client reads with status 403. */
  veto?(draft: Draft<E>, tx: EventTransaction): string | undefined | Promise<string | undefined>;
  inTransaction?(result: Result<E>, tx: EventTransaction, record: EventRecord<E>): void | Promise<void>;
  notify?(result: Result<E>, record: EventRecord<E>): void | Promise<void>;
}

/** Handlers of every event. */
export interface AnyHandlers {
  inTransaction?(record: EventRecord, tx: EventTransaction): void | Promise<void>;
  notify?(record: EventRecord): void | Promise<void>;
}

/** What the bus needs of the runtime. */
export interface EventBusOptions {
  readonly db: Db;
  readonly log: Log;
  enqueue(db: Db, name: string, payload: unknown, options?: EnqueueOptions): Promise<void>;
}

/** A promise it returns is waited for. */
type Step = () => unknown;

/** What is kept until a transaction has ended. */
interface TransactionSteps {
  readonly afterCommit: Step[];
  readonly onRollback: Step[];
  readonly records: EventRecord[];
}

const MAX_ATTEMPTS = 6;
/** Codes of PostgreSQL after which the same transaction may well succeed: serialisation, deadlock, unique violation. */
const RETRIED = new Set(["40001", "40P01", "23505"]);
/** A code that PostgreSQL answers with, except those of a connection or server that goes away. */
const ANSWERED = /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/;

/** The bus of one runtime. */
export class EventBus {
  readonly #parts: EventBusOptions;
  readonly #handlers = new Map<string, Handlers<EventName>[]>();
  readonly #any: AnyHandlers[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  constructor(parts: EventBusOptions) {
    this.#parts = parts;
  }

  /** Registers handlers; refused once the runtime has booted. */
  on<E extends EventName>(name: E, handlers: Handlers<E>): void {
    this.#refuseWhenClosed(name);
    const list = this.#handlers.get(name) ?? [];
    list.push(handlers as unknown as Handlers<EventName>);
    this.#handlers.set(name, list);
  }

  /** Registers handlers of all events. */
  onAny(handlers: AnyHandlers): void {
    this.#refuseWhenClosed("every event");
    this.#any.push(handlers);
  }

  /** Ends registering. */
  close(): void {
    this.#closed = true;
  }

  /** Events by name that somebody takes part in and nobody of `performed` performs. */
  withoutPerformer(performed: readonly string[]): string[] {
    const known = new Set<string>(["app_boot", ...performed]);
    return [...this.#handlers.keys()].filter((name) => !known.has(name));
  }

  /** Whether anybody listens to an event by name; lets a caller skip making a draft. */
  hasHandlers(name: string): boolean {
    return this.#handlers.has(name);
  }

  /** Performs an event in a transaction of its own. Throws what the action throws; a veto is an ApiError 403. */
  async perform<E extends EventName, R extends Result<E>>(
    name: E,
    viewer: Viewer,
    draft: Draft<E>,
    action: Action<E, R>,
  ): Promise<R> {
    for (const handlers of this.#handlers.get(name) ?? []) await handlers.beforeTransaction?.(draft as never, viewer);
    for (let attempt = 1; ; attempt++) {
      const kept: TransactionSteps = { afterCommit: [], onRollback: [], records: [] };
      let isDone = false;
      let result: R;
      try {
        result = await this.#parts.db.transaction().execute(async (db) => {
          const done = await this.#transaction(db, viewer, kept).perform(name, draft, action);
          isDone = true;
          return done;
        });
      } catch (error) {
        if (isDone && !isUndone(error)) {
          this.#parts.log.error(`Cannot tell whether "${name}" was committed; what it stored beside stays`, { error });
          throw unknownOutcomeError();
        }
        await this.#runAll(kept.onRollback.reverse(), `take back "${name}"`);
        if (attempt >= MAX_ATTEMPTS || !RETRIED.has(codeOf(error))) throw error;
        continue;
      }
      await this.#runAll(kept.afterCommit, `finish "${name}"`);
      for (const record of kept.records) this.#notify(record);
      return result;
    }
  }

  /** Waits for notifications under way. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  async #runAll(steps: readonly Step[], what: string): Promise<void> {
    for (const step of steps) {
      try {
        const pending = step();
        if (pending instanceof Promise) await pending;
      } catch (error) {
        this.#parts.log.error(`Cannot ${what}`, { error });
      }
    }
  }

  #transaction(db: Db, viewer: Viewer, { afterCommit, onRollback, records }: TransactionSteps): EventTransaction {
    const at = new Date().toISOString();
    const tx: EventTransaction = {
      db,
      viewer,
      at,
      address: addressNow(),
      afterCommit: (run) => void afterCommit.push(run),
      onRollback: (run) => void onRollback.push(run),
      enqueue: (name, payload, options) => this.#parts.enqueue(db, name, payload, options),
      perform: async (name, draft, action) => {
        const final = await this.#filteredDraft(name, draft, tx);
        const result = await action(final, tx);
        const record = { name, draft: final, result, viewer, at } as unknown as EventRecord;
        for (const handlers of this.#handlers.get(name) ?? [])
          await handlers.inTransaction?.(result as never, tx, record);
        for (const handlers of this.#any) await handlers.inTransaction?.(record, tx);
        records.push(record);
        return result;
      },
    };
    return rootTransaction(tx);
  }

  async #filteredDraft<E extends EventName>(name: E, draft: Draft<E>, tx: EventTransaction): Promise<Draft<E>> {
    const list = (this.#handlers.get(name) ?? []) as unknown as Handlers<E>[];
    let final = draft;
    for (const handlers of list) final = (await handlers.filter?.(final, tx)) ?? final;
    for (const handlers of list) {
      const reason = await handlers.veto?.(final, tx);
      if (reason !== undefined) throw new ApiError(403, reason);
    }
    return final;
  }

  #notify(record: EventRecord): void {
    for (const { notify } of this.#handlers.get(record.name) ?? []) {
      if (notify) this.#runNotification(record, async () => notify(record.result, record));
    }
    for (const { notify } of this.#any) {
      if (notify) this.#runNotification(record, async () => notify(record));
    }
  }

  #runNotification(record: EventRecord, notify: () => Promise<void>): void {
    const run = notify().catch((error: unknown) => {
      this.#parts.log.error(`Cannot notify of "${record.name}"`, { error });
    });
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  #refuseWhenClosed(what: string): void {
    if (this.#closed) throw new Error(`Cannot listen to ${what}: listening ends when the runtime has booted`);
  }
}

/** Whether what failed at the commit says that nothing was committed; a connection that broke says nothing. */
function isUndone(error: unknown): boolean {
  return error instanceof StoreError || ANSWERED.test(codeOf(error));
}
