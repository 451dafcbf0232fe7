/**
 * Delivers events to webhooks. Each webhook has workers of its own that make its calls, so a slow or dead receiver keeps
 * nobody else waiting: a webhook begins with one worker and its concurrency rises with each call that is delivered; one
 * that fails is back to one, and all that fail share a number of workers well below the calls a process can have under
 * way. Calls about the same subject are made in the order of events, each after the one before it has been delivered or
 * given up. What a crash aborted is made again when its lease ends, so receivers hear of everything at least once, and
 * tell repetitions by the id of the call. All workers together query the store one thing at a time, so that requests
 * always find it free; that bounds the calls per second, and a backlog takes the longer for it.
 */
import { type Log, Semaphore } from "lectern/core";
import type { Db } from "lectern/db";
import { call, type DeliveryOptions, type Outcome } from "./call.ts";
import type { WebhookRow } from "./contract.ts";
import { BATCH, type Claimed, claim, createDeliveries, recordAttempt, release, webhooksDue } from "./queue.ts";

/** What the dispatcher needs of the runtime. */
export interface DispatcherOptions {
  readonly db: Db;
  readonly calling: DeliveryOptions;
  readonly log: Log;
  /** Pauses before a call is made again, in milliseconds; as many as there are further attempts. */
  readonly pausesMs: readonly number[];
  /** A webhook is switched off after so many calls in a row that were given up, none taken for so many minutes. */
  readonly patience: { readonly calls: number; readonly minutes: number };
  /** Switches a webhook off, as who looks after webhooks would. */
  switchOff(hook: WebhookRow): Promise<void>;
}

/** Calls of one webhook at a time. */
const MAX_WORKERS = 4;
/** Calls under way from which on each webhook has one worker; the runtime makes no more than 256 at a time. */
const CROWDED_CALLS = 128;
/** Calls at a time of all webhooks whose last call failed. */
const MAX_FAILING_WORKERS = 64;
/** How long events are gathered before they are delivered. */
const GATHER_MS = 100;
/** How long a stop waits for calls under way before it aborts them. */
const GRACE_MS = 1_000;

/** Makes the calls of one process. */
export class Dispatcher {
  readonly #parts: DispatcherOptions;
  /** Workers that run, by webhook. */
  readonly #workers = new Map<number, number>();
  /** Workers a webhook may have, where its calls were delivered; 0 while it fails. */
  readonly #concurrency = new Map<number, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #end = new AbortController();
  /** Queries to the store run one at a time. */
  readonly #queries = new Semaphore({ permits: 1 });
  #open = 0;
  #failing = 0;
  #isOpen = false;
  #handingOut: Promise<void> | undefined;
  #again = false;
  #soon: Timer | undefined;

  constructor(parts: DispatcherOptions) {
    this.#parts = parts;
  }

  /** Begins, with what was left over from before. */
  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Looks for what is to be done, soon: whoever writes several things in a row is not held up by the calls. */
  wake(): void {
    if (!this.#isOpen) return;
    this.#again = true;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#handingOut ??= this.#track(this.#handOut().finally(() => (this.#handingOut = undefined)));
    }, GATHER_MS);
  }

  /** Takes no more, waits a moment for the calls under way, and gives back those that take longer. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#soon);
    const abort = setTimeout(() => this.#end.abort(), GRACE_MS);
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
    clearTimeout(abort);
  }

  #track(work: Promise<void>): Promise<void> {
    const run = work.catch((error: unknown) => this.#parts.log.error("Cannot tell webhooks", { error }));
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
    return run;
  }

  async #handOut(): Promise<void> {
    while (this.#again && this.#isOpen) {
      this.#again = false;
      while ((await this.#query(createDeliveries)) === BATCH);
      for (const id of await this.#query(webhooksDue)) this.#startWorker(id);
    }
  }

  /** Queries the store, after the queries before it. */
  #query<T>(question: (db: Db) => Promise<T>): Promise<T> {
    return this.#queries.run(() => question(this.#parts.db));
  }

  /** Starts a worker for a webhook, unless all it may have run. */
  #startWorker(webhookId: number): void {
    const open = this.#workers.get(webhookId) ?? 0;
    const concurrency = this.#concurrency.get(webhookId) ?? 1;
    const isFailing = concurrency === 0;
    if (!this.#isOpen || open >= (this.#open >= CROWDED_CALLS ? 1 : Math.max(1, concurrency))) return;
    if (isFailing && this.#failing >= MAX_FAILING_WORKERS) return;
    this.#count(webhookId, isFailing, 1);
    void this.#track(this.#work(webhookId).finally(() => this.#count(webhookId, isFailing, -1)));
  }

  #count(webhookId: number, isFailing: boolean, by: 1 | -1): void {
    this.#open += by;
    if (isFailing) this.#failing += by;
    const open = (this.#workers.get(webhookId) ?? 0) + by;
    if (open > 0) this.#workers.set(webhookId, open);
    else this.#workers.delete(webhookId);
  }

  /**
   * Makes the calls of a webhook until none may be made or one fails. Where there is one there may be more, so another
   * worker starts.
   */
  async #work(webhookId: number): Promise<void> {
    while (this.#isOpen) {
      const claimed = await this.#query((db) => claim(db, webhookId));
      if (!claimed) return;
      this.#startWorker(webhookId);
      const outcome = await call(this.#parts.calling, claimed, this.#end.signal);
      if (outcome === "aborted") return this.#query((db) => release(db, claimed));
      const isTaken = outcome.error === "";
      this.#concurrency.set(
        webhookId,
        isTaken ? Math.min(MAX_WORKERS, (this.#concurrency.get(webhookId) ?? 1) + 1) : 0,
      );
      await this.#note(claimed, outcome);
      // A webhook that fails waits for a worker anew, among the others that fail.
      if (!isTaken) return this.wake();
    }
  }

  async #note(claimed: Claimed, { mayRetry, status, ...outcome }: Outcome): Promise<void> {
    const { log, pausesMs, patience, switchOff } = this.#parts;
    const pauseMs = mayRetry ? pausesMs[claimed.attempts - 1] : undefined;
    const state = outcome.error === "" ? "delivered" : pauseMs === undefined ? "failed" : "waiting";
    const result = { ...outcome, status: status ?? null, state, pauseMs: pauseMs ?? 0 } as const;
    const failureState = await this.#query((db) => recordAttempt(db, claimed, result));
    if (state !== "failed" || !failureState?.active || failureState.failures < patience.calls) return;
    if ((failureState.failing_minutes ?? 0) < patience.minutes) return;
    await switchOff(claimed.hook);
    const { id, name } = claimed.hook;
    log.warn("A webhook was switched off, as its calls failed for too long", { webhook: id, name });
  }
}
