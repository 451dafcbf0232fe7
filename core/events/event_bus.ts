/**
 * Events: how plugins take part in each other's changes. Handlers run in boot order. `beforeTransaction` runs first; then
 * `filter`, `veto`, the action and `inTransaction` share one transaction, so a throw in any of them rolls it back; `notify`
 * runs after the commit. What must not be lost is enqueued in `inTransaction`: the jobs table is the outbox. After a
 * serialisation failure, a deadlock or a unique violation the transaction is retried from its filters on, so handlers in it
 * change the store alone, or undo the rest in `onRollback`.
 */
import { type Db, StoreError } from "../../db/mod.ts";
import { ApiError, BootError } from "../errors.ts";
import { currentAddress, currentRequestId } from "../http/request_context.ts";
import { codeOf, unknownOutcomeError } from "../http/store_errors.ts";
import type { Log } from "../log.ts";
import type { Draft, EventName, JobName, Jobs, Result } from "../runtime/registry.ts";
import { frozenViewer, type Viewer } from "../viewer.ts";
import { rootTransaction } from "./scoped_transaction.ts";

/** The open transaction of an event, as actions and handlers within it get it. */
export interface EventTransaction {
  /** The transaction, over the tables the plugin was granted. All writes of actions and handlers go through it. */
  readonly db: Db;
  readonly viewer: Viewer;
  /** When the outermost action began: ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** The client address of the request; undefined for commands, jobs and schedules. */
  readonly address: string | undefined;
  /** The id of the request; undefined likewise. */
  readonly requestId: string | undefined;
  /** Performs another event inside this transaction. */
  perform<E extends EventName, R extends Result<E>>(name: E, draft: Draft<E>, action: Action<E, R>): Promise<R>;
  /** Writes a job in this transaction: it exists if and only if the transaction commits. */
  enqueue<J extends JobName>(name: J, payload: Jobs[J], options?: EnqueueOptions): Promise<void>;
  /** Runs after the commit and before the answer, in the order of registration: for quick work. A failure is logged. */
  afterCommit(run: () => unknown): void;
  /**
   * Runs after a rollback (also before a retry), last registered first: undoes what was done outside the store. A failure
   * is logged. Does not run where the connection broke at the commit: it is unknown then whether that succeeded.
   */
  onRollback(run: () => unknown): void;
}

/** Options of a single job. */
export interface EnqueueOptions {
  /** Milliseconds before the job is due. */
  readonly delayMs?: number;
  /** Unique among the waiting jobs of a name: while one has this key, a second one is not written. */
  readonly key?: string;
}

/** The function that makes the change of an event and returns its result. */
export type Action<E extends EventName, R = Result<E>> = (draft: Draft<E>, tx: EventTransaction) => Promise<R>;

/** An event that was performed, for `inTransaction` and `notify`. */
export interface EventRecord<E extends EventName = EventName> {
  readonly name: E;
  readonly draft: Draft<E>;
  readonly result: Result<E>;
  readonly viewer: Viewer;
  readonly at: string;
}

/** Handlers of one event; each moment is optional. */
export interface Handlers<E extends EventName> {
  /** Runs before the transaction, so that slow work holds no connection. Not called for events performed within others. */
  beforeTransaction?(draft: Draft<E>, viewer: Viewer): void | Promise<void>;
  /** Returns another draft, or undefined to keep the draft. */
  filter?(draft: Draft<E>, tx: EventTransaction): Draft<E> | undefined | Promise<Draft<E> | undefined>;
  /** Returns the message of a 403, or undefined to allow the event. */
  veto?(draft: Draft<E>, tx: EventTransaction): string | undefined | Promise<string | undefined>;
  inTransaction?(result: Result<E>, tx: EventTransaction, record: EventRecord<E>): void | Promise<void>;
  /** Not awaited; a failure is logged. */
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
  readonly jobs: { enqueue(db: Db, name: string, payload: unknown, options?: EnqueueOptions): Promise<void> };
}

/** Callbacks and events of one attempt, used when its transaction has ended. A returned promise is awaited. */
interface TransactionSteps {
  readonly afterCommit: (() => unknown)[];
  readonly onRollback: (() => unknown)[];
  readonly records: EventRecord[];
}

const MAX_ATTEMPTS = 6;
/** SQLSTATEs after which a retry may succeed: serialisation failure, deadlock, unique violation. */
const RETRIED = new Set(["40001", "40P01", "23505"]);

/** Whether a retry may succeed. The error of a boot, which names a plugin, has that of the store as its cause. */
function isRetried(error: unknown): boolean {
  return RETRIED.has(codeOf(error)) || (error instanceof BootError && RETRIED.has(codeOf(error.cause)));
}
/** An SQLSTATE that the server answered, without the classes of a lost connection or a server shutting down. */
const ANSWERED = /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/;

/** The bus of one runtime. */
export class EventBus {
  readonly #options: EventBusOptions;
  readonly #handlers = new Map<string, Handlers<EventName>[]>();
  readonly #any: AnyHandlers[] = [];
  /** The plugins of handlers, for the log. */
  readonly #plugins = new WeakMap<object, string>();
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: EventBusOptions) {
    this.#options = options;
  }

  /** Registers handlers of an event; `plugin` is named in the log. Throws once the runtime has booted. */
  on<E extends EventName>(name: E, handlers: Handlers<E>, plugin?: string): void {
    this.#refuseWhenClosed(name);
    if (plugin !== undefined) this.#plugins.set(handlers, plugin);
    const list = this.#handlers.get(name) ?? [];
    list.push(handlers as unknown as Handlers<EventName>);
    this.#handlers.set(name, list);
  }

  /** Registers handlers of all events. */
  onAny(handlers: AnyHandlers, plugin?: string): void {
    this.#refuseWhenClosed("every event");
    if (plugin !== undefined) this.#plugins.set(handlers, plugin);
    this.#any.push(handlers);
  }

  /** Ends registration. */
  close(): void {
    this.#closed = true;
  }

  /** Names of events that have handlers and are not among `performed`. */
  withoutPerformer(performed: readonly string[]): string[] {
    const known = new Set<string>(["app_boot", "plugin_purge", ...performed]);
    return [...this.#handlers.keys()].filter((name) => !known.has(name));
  }

  /** Whether an event has handlers by its name. */
  hasHandlers(name: string): boolean {
    return this.#handlers.has(name);
  }

  /** Performs an event in its own transaction. Throws what the action throws; a veto throws ApiError 403. */
  async perform<E extends EventName, R extends Result<E>>(
    name: E,
    viewer: Viewer,
    draft: Draft<E>,
    action: Action<E, R>,
  ): Promise<R> {
    const frozen = frozenViewer(viewer);
    for (const handlers of this.#handlers.get(name) ?? []) await handlers.beforeTransaction?.(draft as never, frozen);
    for (let attempt = 1; ; attempt++) {
      const steps: TransactionSteps = { afterCommit: [], onRollback: [], records: [] };
      let isDone = false;
      let result: R;
      try {
        result = await this.#options.db.transaction().execute(async (db) => {
          const done = await this.#transaction(db, frozen, steps).perform(name, draft, action);
          isDone = true;
          return done;
        });
      } catch (error) {
        if (isDone && !isRolledBack(error)) {
          this.#options.log.error(`Cannot tell whether "${name}" was committed; its files are not removed`, { error });
          throw unknownOutcomeError();
        }
        await this.#runAll(steps.onRollback.reverse(), `undo "${name}" after its rollback`);
        if (attempt >= MAX_ATTEMPTS || !isRetried(error)) throw error;
        continue;
      }
      await this.#runAll(steps.afterCommit, `finish "${name}" after its commit`);
      for (const record of steps.records) this.#notify(record);
      return result;
    }
  }

  /** Waits for running `notify` handlers. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  async #runAll(steps: readonly (() => unknown)[], what: string): Promise<void> {
    for (const step of steps) {
      try {
        const pending = step();
        if (pending instanceof Promise) await pending;
      } catch (error) {
        this.#options.log.error(`Cannot ${what}`, { error });
      }
    }
  }

  #transaction(db: Db, viewer: Viewer, { afterCommit, onRollback, records }: TransactionSteps): EventTransaction {
    const at = new Date().toISOString();
    const tx: EventTransaction = {
      db,
      viewer,
      at,
      address: currentAddress(),
      requestId: currentRequestId(),
      afterCommit: (run) => void afterCommit.push(run),
      onRollback: (run) => void onRollback.push(run),
      enqueue: (name, payload, options) => this.#options.jobs.enqueue(db, name, payload, options),
      perform: async (name, draft, action) => {
        const final = await this.#filteredDraft(name, draft, tx);
        const result = await action(final, tx);
        const record = Object.freeze({ name, draft: final, result, viewer, at }) as unknown as EventRecord;
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
    for (const handlers of this.#handlers.get(record.name) ?? [])
      this.#runNotification(record, handlers, async () => handlers.notify?.(record.result, record));
    for (const handlers of this.#any) this.#runNotification(record, handlers, async () => handlers.notify?.(record));
  }

  #runNotification(
    record: EventRecord,
    handlers: Handlers<EventName> | AnyHandlers,
    notify: () => Promise<void>,
  ): void {
    if (!handlers.notify) return;
    const run = notify().catch((error: unknown) => {
      this.#options.log.error(`Cannot notify of "${record.name}"`, { plugin: this.#plugins.get(handlers), error });
    });
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  #refuseWhenClosed(what: string): void {
    if (this.#closed) throw new Error(`Cannot handle ${what}: handlers are registered before the runtime has booted`);
  }
}

/** Whether an error at the commit says that nothing was committed; a lost connection does not say so. */
function isRolledBack(error: unknown): boolean {
  return error instanceof StoreError || ANSWERED.test(codeOf(error));
}
