/**
 * Events: how plugins take part in each other's changes. Handlers run in boot order. `beforeTransaction` runs first; then
 * `filter`, `veto`, the action and `inTransaction` share one transaction, so a throw in any of them rolls it back; `notify`
 * runs after the commit. What must not be lost is enqueued in `inTransaction`: the jobs table is the outbox. After a
 * serialisation failure, a deadlock or a unique violation the transaction is retried from its filters on, so handlers in it
 * change the store alone, or undo the rest in `onRollback`. Each part of a plugin has a time limit (`events/part_guard.ts`); past it the
 * transaction is aborted, and statements of a handler that goes on are refused.
 */
import { codeOf, type Db, StoreError, transactionControl } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import { unknownOutcomeError } from "../failures.ts";
import type { Log } from "../log.ts";
import type { Draft, EventName, JobName, Jobs, Result } from "../registry.ts";
import { frozenViewer, type Viewer } from "../viewer.ts";
import type { CallOptions } from "./call_options.ts";
import { CORE, EventParts, type PartOptions, type Registered } from "./event_parts.ts";
import { EventSteps, stepOf } from "./event_steps.ts";
import type { JobPlace } from "./job_retry.ts";
import { type Attempt, callWithin, failCall, isRetried, joinedCall, type OpenTransaction } from "./joined_calls.ts";
import type { Part } from "./part_guard.ts";
import { rootTransaction } from "./root_transaction.ts";
import { attended, GivenUp, TransactionWatch } from "./transaction_watch.ts";

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
  /**
   * Calls a route as a part of this transaction: it reads what the transaction has written, and what it writes is committed or rolled
   * back with it; events that it performs are nested ones. Without credentials, limits and body parsing, as `callAs` of a context. A
   * refusal is answered, leaves nothing of the call behind and the transaction usable. The answer is read whole before it is returned.
   * Calls run one after the other; other statements of the transaction wait until one has ended, or are undone with it.
   * @example
   * on("page_create", {
   *   async inTransaction({ id }, tx) {
   *     const input = { page_id: id, html: "<p>Who reviews this?</p>" };
   *     const answer = await tx.callAs(tx.viewer, "POST", "/api/comments", { input });
   *     if (!answer.ok) log.info("The page is not commented on", { id, status: answer.status });
   *   },
   * });
   */
  callAs(viewer: Viewer, method: string, path: string, options?: CallOptions): Promise<Response>;
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
export interface EnqueueOptions extends JobPlace {
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
  /** Returns the message of a 403; undefined or null allows the event. */
  veto?(draft: Draft<E>, tx: EventTransaction): string | null | undefined | Promise<string | null | undefined>;
  inTransaction?(result: Result<E>, tx: EventTransaction, record: EventRecord<E>): void | Promise<void>;
  /** Not awaited; a failure is logged. */
  notify?(result: Result<E>, record: EventRecord<E>): void | Promise<void>;
}

/** Handlers of every event. */
export interface AnyHandlers {
  inTransaction?(record: EventRecord, tx: EventTransaction): void | Promise<void>;
  notify?(record: EventRecord): void | Promise<void>;
}

/** The bus's own transaction: views of it say whose action they perform. */
export interface RootTransaction extends EventTransaction {
  perform<E extends EventName, R extends Result<E>>(
    name: E,
    draft: Draft<E>,
    action: Action<E, R>,
    plugin?: string,
  ): Promise<R>;
}

/** What the bus needs of the runtime. */
export interface EventBusOptions extends PartOptions {
  readonly db: Db;
  readonly log: Log;
  readonly jobs: { enqueue(db: Db, name: string, payload: unknown, options?: EnqueueOptions): Promise<void> };
  /** The client's address and the id of the request that is answered at the moment; undefined outside of one. */
  request(): Pick<EventTransaction, "address" | "requestId">;
  /** Calls a route of the runtime. */
  readonly callAs: EventTransaction["callAs"];
}

/** The events that the runtime itself performs. */
export const CORE_EVENTS: readonly string[] = ["app_boot", "plugin_purge"];
const MAX_ATTEMPTS = 6;
/** An SQLSTATE that the server answered, without the classes of a lost connection or a server shutting down. */
const ANSWERED = /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/;

/** The bus of one runtime. */
export class EventBus {
  readonly #options: EventBusOptions;
  readonly #handlers = new Map<string, Registered<Handlers<EventName>>[]>();
  readonly #any: Registered<AnyHandlers>[] = [];
  readonly #parts: EventParts;
  readonly #steps: EventSteps;
  #closed = false;

  constructor(options: EventBusOptions) {
    this.#options = options;
    this.#parts = new EventParts(options);
    this.#steps = new EventSteps(options.guard, options.log);
  }

  /** Registers handlers of an event; `plugin` is named in the log. Throws once the runtime has booted. */
  on<E extends EventName>(name: E, handlers: Handlers<E>, plugin = CORE): void {
    this.#refuseWhenClosed(name);
    const list = this.#handlers.get(name) ?? [];
    list.push(this.#parts.registered(handlers as Handlers<EventName>, plugin, name));
    this.#handlers.set(name, list);
  }

  /** Registers handlers of all events. */
  onAny(handlers: AnyHandlers, plugin = CORE): void {
    this.#refuseWhenClosed("every event");
    this.#any.push(this.#parts.registered(handlers, plugin, "every event"));
  }

  /** Ends registration. */
  close(): void {
    this.#closed = true;
  }

  /** Names of events that have handlers and are not among `performed`, with the plugins of the handlers. */
  withoutPerformer(performed: readonly string[]): { readonly event: string; readonly plugins: readonly string[] }[] {
    const known = new Set<string>([...CORE_EVENTS, ...performed]);
    return [...this.#handlers].flatMap(([event, handlers]) =>
      known.has(event) ? [] : [{ event, plugins: handlers.map(({ parts }) => parts.notify.plugin) }],
    );
  }

  /** Whether an event has handlers by its name. */
  hasHandlers(name: string): boolean {
    return this.#handlers.has(name);
  }

  /**
   * Performs an event in its own transaction. Throws what the action throws; a veto throws ApiError 403, a part that does not end in
   * time PartLate. `plugin` is the one whose action it is.
   */
  async perform<E extends EventName, R extends Result<E>>(
    name: E,
    viewer: Viewer,
    draft: Draft<E>,
    action: Action<E, R>,
    plugin = CORE,
  ): Promise<R> {
    const { guard } = this.#options;
    const frozen = frozenViewer(viewer);
    const open = joinedCall(this);
    if (open) return this.#nested(open, frozen, (tx) => tx.perform(name, draft, action, plugin));
    for (const { handlers, parts } of this.#handlers.get(name) ?? [])
      if (handlers.beforeTransaction)
        await guard.call(parts.beforeTransaction, () => handlers.beforeTransaction?.(draft as never, frozen));
    return attended(() => this.#attempts(name, frozen, draft, action, plugin));
  }

  /** Performs within the transaction that the call of a route has joined. Throws what the action throws. */
  async #nested<R>(open: OpenTransaction, viewer: Viewer, perform: (tx: RootTransaction) => Promise<R>): Promise<R> {
    try {
      return await perform(this.#transaction(open, viewer));
    } catch (error) {
      failCall(error);
      throw error;
    }
  }

  async #attempts<E extends EventName, R extends Result<E>>(
    name: E,
    viewer: Viewer,
    draft: Draft<E>,
    action: Action<E, R>,
    plugin: string,
  ): Promise<R> {
    for (let count = 1; ; count++) {
      const attempt: Attempt = { afterCommit: [], onRollback: [], records: [], isRolledBack: false };
      let isDone = false;
      let result: R;
      try {
        result = await this.#options.db.transaction().execute(async (db) => {
          const done = await this.#watched(name, db, (watch) =>
            this.#transaction({ bus: this, db, attempt, watch, at: new Date().toISOString() }, viewer).perform(
              ...[name, draft, action, plugin],
            ),
          );
          isDone = true;
          return done;
        });
      } catch (error) {
        if (isDone && !isRolledBack(error)) {
          this.#options.log.error(`Cannot tell whether "${name}" was committed; its files are not removed`, { error });
          throw unknownOutcomeError();
        }
        attempt.isRolledBack = true;
        await this.#steps.run(attempt.onRollback.reverse(), `undo "${name}" after its rollback`);
        if (count >= MAX_ATTEMPTS || !isRetried(error)) throw error;
        continue;
      }
      await this.#steps.run(attempt.afterCommit, `finish "${name}" after its commit`);
      for (const record of attempt.records) this.#notify(record);
      return result;
    }
  }

  /** Waits for running `notify` handlers. */
  async settle(): Promise<void> {
    await this.#steps.settle();
  }

  /** Runs the parts of a transaction. Aborts it where one of them does not end in time, and throws PartLate. */
  async #watched<R>(name: string, db: Db, run: (watch: TransactionWatch) => Promise<R>): Promise<R> {
    const { guard } = this.#options;
    const control = await transactionControl(db);
    const watch = new TransactionWatch(this.#parts.limitsOf(name), control);
    try {
      return await watch.run(() => run(watch));
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      control?.abort();
      throw guard.late(error.part, error.message, error.began);
    }
  }

  #transaction(open: OpenTransaction, viewer: Viewer): RootTransaction {
    const { db, attempt, watch, at } = open;
    const { callAs, jobs, request } = this.#options;
    const tx: RootTransaction = {
      db,
      viewer,
      at,
      ...request(),
      afterCommit: (run) => void attempt.afterCommit.push(stepOf(run, "afterCommit", watch)),
      onRollback: (run) => {
        const undo = stepOf(run, "onRollback", watch);
        // A handler that went on past its limit has done something that nobody else undoes.
        if (attempt.isRolledBack) void this.#steps.run([undo], "undo what was done after a rollback");
        else attempt.onRollback.push(undo);
      },
      enqueue: (name, payload, options) => jobs.enqueue(db, name, payload, options),
      callAs: (caller, method, path, options) =>
        callWithin(open, { method, path }, this.#steps, () => callAs(caller, method, path, options)),
      perform: async (name, draft, action, plugin = CORE) => {
        const final = await this.#filteredDraft(name, draft, tx, watch);
        const result = await this.#within(watch, this.#parts.action(plugin, name), () => action(final, tx));
        const record = Object.freeze({ name, draft: final, result, viewer, at }) as EventRecord;
        for (const { handlers, parts } of this.#handlers.get(name) ?? [])
          if (handlers.inTransaction)
            await this.#within(watch, parts.inTransaction, () => handlers.inTransaction?.(result as never, tx, record));
        for (const { handlers, parts } of this.#any)
          if (handlers.inTransaction)
            await this.#within(watch, parts.inTransaction, () => handlers.inTransaction?.(record, tx));
        attempt.records.push(record);
        return result;
      },
    };
    rootTransaction(tx);
    return tx;
  }

  async #filteredDraft<E extends EventName>(
    name: E,
    draft: Draft<E>,
    tx: EventTransaction,
    watch: TransactionWatch,
  ): Promise<Draft<E>> {
    const list = (this.#handlers.get(name) ?? []) as Registered<Handlers<E>>[];
    let final = draft;
    for (const { handlers, parts } of list)
      if (handlers.filter)
        final = (await this.#within(watch, parts.filter, () => handlers.filter?.(final, tx))) ?? final;
    for (const { handlers, parts } of list) {
      if (!handlers.veto) continue;
      const reason = await this.#within(watch, parts.veto, () => handlers.veto?.(final, tx));
      if (reason !== undefined && reason !== null) throw new ApiError(403, reason);
    }
    return final;
  }

  /** Runs a part within a transaction. Throws the refusal of one that is not called now. */
  async #within<R>(watch: TransactionWatch, part: Part, run: () => R | Promise<R>): Promise<R> {
    const { guard } = this.#options;
    const refused = guard.refusalOf(part);
    if (refused) throw refused;
    const leave = watch.enter(part);
    try {
      return await run();
    } finally {
      if (leave()) guard.faults.answered(part);
    }
  }

  #notify(record: EventRecord): void {
    const { name, result } = record;
    for (const { handlers, parts } of this.#handlers.get(name) ?? [])
      if (handlers.notify) this.#steps.notify(name, parts.notify, async () => handlers.notify?.(result, record));
    for (const { handlers, parts } of this.#any)
      if (handlers.notify) this.#steps.notify(name, parts.notify, async () => handlers.notify?.(record));
  }

  #refuseWhenClosed(what: string): void {
    if (this.#closed) throw new Error(`Cannot handle ${what}: handlers are registered before the runtime has booted`);
  }
}

/** Whether an error at the commit says that nothing was committed; a lost connection does not say so. */
function isRolledBack(error: unknown): boolean {
  return error instanceof StoreError || ANSWERED.test(codeOf(error));
}
