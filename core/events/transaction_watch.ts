/**
 * Watches an open transaction, or another stretch of work of plugins, for signs of life. A statement is one while it runs: its time is
 * limited by the store. Without one, the part that began last is given up after `quietMs`. What has limits of its own, such as a
 * transfer of a file, is announced by `attended` and has longer. A part may also have a limit in all.
 *
 * The watch is kept in AsyncLocalStorage, so that functions of contracts and slots that a part calls are blamed for themselves.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { TransactionControl } from "../../db/mod.ts";
import { type Counted, isPending, startCounting, stopCounting } from "../std/countdown.ts";
import type { Part, PartLimits } from "./part_guard.ts";

const CURRENT = new AsyncLocalStorage<TransactionWatch>();

/** The watch of the transaction that the caller is within; undefined outside, and where that was given up or has ended. */
export function currentWatch(): TransactionWatch | undefined {
  const watch = CURRENT.getStore();
  return watch?.isOver ? undefined : watch;
}

/**
 * Runs what has time limits of its own: the transaction around it is not quiet meanwhile. A part of a plugin then has as long as the
 * longest request.
 * @example
 * const answer = await attended(async () => (await fetch("https://example.com", { signal: AbortSignal.timeout(9_000) })).text());
 */
export function attended<R>(run: () => Promise<R>): Promise<R> {
  return currentWatch()?.attend(run) ?? run();
}

/** A part that was given up, and why. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
  readonly part: Part;
  /** When the part began: `Date.now()`. */
  readonly began: number;

  constructor({ part, began }: Running, reason: string) {
    super(reason);
    this.part = part;
    this.began = began;
  }
}

interface Running {
  readonly part: Part;
  readonly limitMs: number;
  readonly began: number;
  leftMs: number;
}

/** The watch of one transaction. */
export class TransactionWatch implements Counted {
  readonly #limits: Pick<PartLimits, "quietMs" | "attendedMs">;
  readonly #control: TransactionControl | undefined;
  /** Parts that run, the innermost one last. */
  readonly #parts: Running[] = [];
  readonly #givenUp = Promise.withResolvers<never>();
  #quietMs = 0;
  #attended = 0;
  #sent = 0;
  /** Whether what it watched has ended or was given up. */
  isOver = false;

  constructor(limits: Pick<PartLimits, "quietMs" | "attendedMs">, control?: TransactionControl) {
    this.#limits = limits;
    this.#control = control;
  }

  /** The innermost part that runs. */
  get part(): Part | undefined {
    return this.#parts.at(-1)?.part;
  }

  /** Runs something under watch. Rejects with GivenUp; what happens later is ignored. */
  async run<R>(body: () => R | Promise<R>): Promise<R> {
    try {
      const running = CURRENT.run(this, body);
      if (!isPending(running)) return await running;
      startCounting(this);
      // The limits of the parts are counted by `passed`. The race handles a failure that comes later, too.
      return await Promise.race([running as Promise<R>, this.#givenUp.promise]);
    } finally {
      stopCounting(this);
      this.isOver = true;
    }
  }

  /** A part begins, with its limit in all. Returns the function that ends it, which says whether it ended in time. */
  enter(part: Part, limitMs = part.limitMs): () => boolean {
    const running: Running = { part, limitMs, began: Date.now(), leftMs: limitMs };
    this.#parts.push(running);
    return () => {
      const at = this.#parts.lastIndexOf(running);
      if (at >= 0) this.#parts.splice(at, 1);
      return !this.isOver;
    };
  }

  /** Runs what has limits of its own. */
  async attend<R>(run: () => Promise<R>): Promise<R> {
    this.#attended += 1;
    this.#quietMs = 0;
    try {
      return await run();
    } finally {
      this.#attended -= 1;
      this.#quietMs = 0;
    }
  }

  passed(ms: number): void {
    const innermost = this.#parts.at(-1);
    if (!innermost) return;
    for (const running of this.#parts) running.leftMs -= ms;
    const over = this.#parts.find(({ leftMs }) => leftMs <= 0);
    const { isBusy = false, sent = 0 } = this.#control ?? {};
    if (isBusy || sent !== this.#sent) this.#quietMs = 0;
    else this.#quietMs += ms;
    this.#sent = sent;
    const limitMs = this.#attended > 0 ? this.#limits.attendedMs : this.#limits.quietMs;
    if (over) this.#giveUp(this.#blamedFor(over), `It did not end within ${over.limitMs} ms`);
    else if (this.#quietMs >= limitMs) this.#giveUp(innermost, `Nothing happened in it for ${limitMs} ms`);
  }

  /** Who is blamed for a part past its limit: a function of a plugin that ships may wait for one of another that it was given. */
  #blamedFor(over: Running): Running {
    if (!over.part.isKept) return over;
    const within = this.#parts.slice(this.#parts.indexOf(over));
    return within.findLast(({ part }) => !part.isKept) ?? over;
  }

  #giveUp(running: Running, reason: string): void {
    stopCounting(this);
    this.isOver = true;
    this.#givenUp.reject(new GivenUp(running, reason));
  }
}
