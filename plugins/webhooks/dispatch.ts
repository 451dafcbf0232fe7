/**
 * Telling webhooks what happened. Each webhook has lanes of its own that make its calls, so a slow or dead receiver keeps
 * nobody else waiting: a webhook begins with one lane and earns more by taking its calls, one that fails is back to one,
 * and all that fail share a number of lanes well below the calls a process can have under way. Calls about the same
 * subject are made in the order of what happened, each after the one before it has been delivered or given up. What a
 * crash cut off is made again when its lease ends, so receivers hear of everything at least once, and tell repetitions by
 * the id of the call. All lanes together ask the store one thing at a time, so that requests always find it free; that
 * bounds the calls per second, and a backlog takes the longer for it.
 */
import type { Log, OutgoingFetch } from "lectern/core";
import type { Db } from "lectern/db";
import { call, type Outcome } from "./call.ts";
import type { WebhookRow } from "./contract.ts";
import { BATCH, type Claimed, claim, dueHooks, handOut, noteCall, release } from "./queue.ts";

/** What dispatching needs of the house. */
export interface DispatchParts {
  readonly db: Db;
  readonly fetch: OutgoingFetch;
  readonly log: Log;
  /** Pauses before a call is made again, in milliseconds; as many as there are further attempts. */
  readonly pausesMs: readonly number[];
  /** A webhook is switched off after so many calls in a row that were given up, none taken for so many minutes. */
  readonly patience: { readonly calls: number; readonly minutes: number };
  /** Switches a webhook off, as who looks after webhooks would. */
  switchOff(hook: WebhookRow): Promise<void>;
}

/** Calls of one webhook at a time. */
const LANES = 4;
/** Calls under way from which on each webhook has one lane; the runtime makes no more than 256 at a time. */
const CROWD = 128;
/** Calls at a time of all webhooks whose last call failed. */
const TROUBLED_LANES = 64;
/** How long what happens is gathered before it is told. */
const GATHER_MS = 100;
/** How long a stop waits for calls under way before it cuts them off. */
const GRACE_MS = 1_000;

/** Makes the calls of one process. */
export class Dispatcher {
  readonly #parts: DispatchParts;
  /** Lanes that are open, by webhook. */
  readonly #lanes = new Map<number, number>();
  /** Lanes a webhook may have, where it has earned some; 0 while it fails. */
  readonly #earned = new Map<number, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #end = new AbortController();
  /** The last question to the store; the next one waits for it. */
  #asked: Promise<unknown> = Promise.resolve();
  #open = 0;
  #troubled = 0;
  #isOpen = false;
  #handingOut: Promise<void> | undefined;
  #again = false;
  #soon: Timer | undefined;

  constructor(parts: DispatchParts) {
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
    const cut = setTimeout(() => this.#end.abort(), GRACE_MS);
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
    clearTimeout(cut);
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
      while ((await this.#ask(handOut)) === BATCH);
      for (const id of await this.#ask(dueHooks)) this.#openLane(id);
    }
  }

  /** Asks the store when all who asked before have been answered. */
  #ask<T>(question: (db: Db) => Promise<T>): Promise<T> {
    const answer = this.#asked.then(() => question(this.#parts.db));
    this.#asked = answer.catch(() => {
      // Whoever asked is told; the next question is another one's.
    });
    return answer;
  }

  /** Opens a lane for a webhook, unless all it may have are open. */
  #openLane(webhookId: number): void {
    const open = this.#lanes.get(webhookId) ?? 0;
    const earned = this.#earned.get(webhookId) ?? 1;
    const isTroubled = earned === 0;
    if (!this.#isOpen || open >= (this.#open >= CROWD ? 1 : Math.max(1, earned))) return;
    if (isTroubled && this.#troubled >= TROUBLED_LANES) return;
    this.#count(webhookId, isTroubled, 1);
    void this.#track(this.#lane(webhookId).finally(() => this.#count(webhookId, isTroubled, -1)));
  }

  #count(webhookId: number, isTroubled: boolean, by: 1 | -1): void {
    this.#open += by;
    if (isTroubled) this.#troubled += by;
    const open = (this.#lanes.get(webhookId) ?? 0) + by;
    if (open > 0) this.#lanes.set(webhookId, open);
    else this.#lanes.delete(webhookId);
  }

  /**
   * Makes the calls of a webhook until none may be made or one fails. Where there is one there may be more, so another
   * lane opens.
   */
  async #lane(webhookId: number): Promise<void> {
    while (this.#isOpen) {
      const claimed = await this.#ask((db) => claim(db, webhookId));
      if (!claimed) return;
      this.#openLane(webhookId);
      const outcome = await call(this.#parts.fetch, claimed, this.#end.signal);
      if (outcome === "cut") return this.#ask((db) => release(db, claimed));
      const isTaken = outcome.error === "";
      this.#earned.set(webhookId, isTaken ? Math.min(LANES, (this.#earned.get(webhookId) ?? 1) + 1) : 0);
      await this.#note(claimed, outcome);
      // A webhook that fails asks for its lane anew, among the others that fail.
      if (!isTaken) return this.wake();
    }
  }

  async #note(claimed: Claimed, { mayRetry, status, ...outcome }: Outcome): Promise<void> {
    const { log, pausesMs, patience, switchOff } = this.#parts;
    const pauseMs = mayRetry ? pausesMs[claimed.attempts - 1] : undefined;
    const state = outcome.error === "" ? "delivered" : pauseMs === undefined ? "failed" : "waiting";
    const verdict = { ...outcome, status: status ?? null, state, pauseMs: pauseMs ?? 0 } as const;
    const standing = await this.#ask((db) => noteCall(db, claimed, verdict));
    if (state !== "failed" || !standing?.active || standing.failures < patience.calls) return;
    if ((standing.failing_minutes ?? 0) < patience.minutes) return;
    await switchOff(claimed.hook);
    const { id, name } = claimed.hook;
    log.warn("A webhook was switched off, as its calls failed for too long", { webhook: id, name });
  }
}
