/**
 * Delivers events to webhooks. Each webhook has workers of its own, so a slow or dead receiver does not delay the others: a
 * webhook starts with one worker, and its concurrency grows with each delivered call; a failed call resets it to one, and
 * all failing webhooks share a number of workers well below the concurrent calls of a process. Calls with the same subject
 * are made in the order of events, each after the previous one was delivered or given up. A call aborted by a crash is
 * repeated when its lease ends, so delivery is at least once; receivers detect repetitions by the id of the call. The
 * workers query the store one statement at a time, so that requests do not wait for connections; this bounds the calls
 * per second.
 */
import { type Log, logRetried, Semaphore } from "lectern/core";
import type { Db } from "lectern/db";
import { call, type DeliveryOptions, type Outcome } from "./call.ts";
import type { WebhookRow } from "./contract.ts";
import { BATCH, type Claimed, claim, createDeliveries, recordAttempt, release, webhooksDue } from "./queue.ts";

/** The dependencies of the dispatcher. */
export interface DispatcherOptions {
  readonly db: Db;
  readonly calling: DeliveryOptions;
  readonly log: Log;
  /** Pauses before each further attempt of a call, in milliseconds. */
  readonly pausesMs: readonly number[];
  /** A webhook is switched off after this many consecutive calls given up, and minutes without a delivered one. */
  readonly patience: { readonly calls: number; readonly minutes: number };
  /** Switches a webhook off by an event. */
  switchOff(hook: WebhookRow): Promise<void>;
}

/** Concurrent calls of one webhook. */
const MAX_WORKERS = 4;
/** Concurrent calls above which each webhook has one worker; the runtime permits at most 256. */
const CROWDED_CALLS = 128;
/** Concurrent calls of all webhooks whose last call failed. */
const MAX_FAILING_WORKERS = 64;
/** Time for which events are collected before they are delivered. */
const GATHER_MS = 100;
/** Time that a stop waits for running calls before it aborts them. */
const GRACE_MS = 1_000;

/** The dispatcher of one process. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Number of running workers by webhook. */
  readonly #workers = new Map<number, number>();
  /** Permitted workers by webhook; 0 while its calls fail. */
  readonly #concurrency = new Map<number, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #end = new AbortController();
  /** Queries to the store run one at a time. */
  readonly #queries = new Semaphore({ permits: 1 });
  #openWorkers = 0;
  #failingWorkers = 0;
  #isRunning = false;
  #dispatching: Promise<void> | undefined;
  #hasNews = false;
  #timer: Timer | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Starts, with the deliveries that an earlier process left. */
  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /** Looks for due deliveries after a short time, so that several changes in a row are handled together. */
  wake(): void {
    if (!this.#isRunning) return;
    this.#hasNews = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#dispatching ??= this.#track(this.#dispatch().finally(() => (this.#dispatching = undefined)));
    }, GATHER_MS);
  }

  /** Starts no more calls, waits shortly for the running ones, and aborts those that take longer. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    const abort = setTimeout(() => this.#end.abort(), GRACE_MS);
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
    clearTimeout(abort);
  }

  #track(work: Promise<void>): Promise<void> {
    const run = work.catch((error: unknown) => logRetried(this.#options.log, "Cannot deliver to webhooks", { error }));
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
    return run;
  }

  async #dispatch(): Promise<void> {
    while (this.#hasNews && this.#isRunning) {
      this.#hasNews = false;
      while ((await this.#query(createDeliveries)) === BATCH);
      for (const id of await this.#query(webhooksDue)) this.#startWorker(id);
    }
  }

  /** Queries the store after all earlier queries. */
  #query<T>(run: (db: Db) => Promise<T>): Promise<T> {
    return this.#queries.run(() => run(this.#options.db));
  }

  /** Starts a worker for a webhook, unless the permitted number runs. */
  #startWorker(webhookId: number): void {
    const open = this.#workers.get(webhookId) ?? 0;
    const concurrency = this.#concurrency.get(webhookId) ?? 1;
    const isFailing = concurrency === 0;
    if (!this.#isRunning || open >= (this.#openWorkers >= CROWDED_CALLS ? 1 : Math.max(1, concurrency))) return;
    if (isFailing && this.#failingWorkers >= MAX_FAILING_WORKERS) return;
    this.#count(webhookId, isFailing, 1);
    void this.#track(this.#work(webhookId).finally(() => this.#count(webhookId, isFailing, -1)));
  }

  #count(webhookId: number, isFailing: boolean, by: 1 | -1): void {
    this.#openWorkers += by;
    if (isFailing) this.#failingWorkers += by;
    const open = (this.#workers.get(webhookId) ?? 0) + by;
    if (open > 0) this.#workers.set(webhookId, open);
    else this.#workers.delete(webhookId);
  }

  /**
   * Makes the calls of a webhook until none is due or one fails. If there is one there may be more, so another worker is
   * started.
   */
  async #work(webhookId: number): Promise<void> {
    while (this.#isRunning) {
      const claimed = await this.#query((db) => claim(db, webhookId));
      if (!claimed) return;
      this.#startWorker(webhookId);
      const outcome = await call(this.#options.calling, claimed, this.#end.signal);
      if (outcome === "aborted") return this.#query((db) => release(db, claimed));
      const isDelivered = outcome.error === "";
      this.#concurrency.set(
        webhookId,
        isDelivered ? Math.min(MAX_WORKERS, (this.#concurrency.get(webhookId) ?? 1) + 1) : 0,
      );
      await this.#record(claimed, outcome);
      // A failing webhook has to get one of the workers that all failing webhooks share.
      if (!isDelivered) return this.wake();
    }
  }

  async #record(claimed: Claimed, { mayRetry, status, ...outcome }: Outcome): Promise<void> {
    const { log, pausesMs, patience, switchOff } = this.#options;
    const pauseMs = mayRetry ? pausesMs[claimed.attempts - 1] : undefined;
    const state = outcome.error === "" ? "delivered" : pauseMs === undefined ? "failed" : "waiting";
    const result = { ...outcome, status: status ?? null, state, pauseMs: pauseMs ?? 0 } as const;
    const failureState = await this.#query((db) => recordAttempt(db, claimed, result));
    if (state !== "failed" || !failureState?.active || failureState.failures < patience.calls) return;
    if ((failureState.failing_minutes ?? 0) < patience.minutes) return;
    await switchOff(claimed.hook);
    const { id, name } = claimed.hook;
    log.warn("A webhook was switched off because its calls failed for too long", { webhook: id, name });
  }
}
