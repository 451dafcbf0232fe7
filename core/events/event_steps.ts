/**
 * What follows a transaction: steps after its commit or rollback, and `notify`. None of these is ever left out, since data would be
 * stored otherwise than files and caches have it. A step that does not end in time is no longer waited for; after a part has been late
 * three times running, its steps are not waited for at all for a minute.
 */

import type { Log } from "../log.ts";
import { withinCountdown } from "../std/countdown.ts";
import { CORE } from "./event_parts.ts";
import { type Part, type PartGuard, PartLate } from "./part_guard.ts";
import { GivenUp, TransactionWatch } from "./transaction_watch.ts";

/** Work for the end of a transaction. A returned promise is awaited. */
export interface Step {
  readonly run: () => unknown;
  readonly part: Part;
}

/** Work that the part which runs now leaves to the end of the transaction. */
export function stepOf(run: () => unknown, moment: string, { part }: TransactionWatch): Step {
  const { plugin = CORE, place = "transaction", limitMs = Number.POSITIVE_INFINITY } = part ?? {};
  return { run, part: { plugin, place: `${moment} of ${place}`, limitMs } };
}

/** Runs the steps of one bus. */
export class EventSteps {
  readonly #guard: PartGuard;
  readonly #log: Log;
  readonly #running = new Set<Promise<unknown>>();

  constructor(guard: PartGuard, log: Log) {
    this.#guard = guard;
    this.#log = log;
  }

  /** Runs steps one after the other. Failures are logged as "Cannot" with `what`. */
  async run(steps: readonly Step[], what: string): Promise<void> {
    for (const step of steps) await this.#runOne(step, what);
  }

  async #runOne({ run, part }: Step, what: string): Promise<void> {
    const watch = new TransactionWatch(this.#guard.limits);
    const failed = (error: unknown) => this.#log.error(`Cannot ${what}`, { plugin: part.plugin, error });
    const isAwaited = !this.#guard.faults.leavesOut(part);
    const began = Date.now();
    const running = watch.run(() => {
      watch.enter(part);
      return run();
    });
    if (!isAwaited) return void running.catch(failed);
    try {
      await running;
      this.#guard.faults.answered(part);
    } catch (error) {
      failed(error instanceof GivenUp ? this.#guard.late(part, error.message, began) : error);
    }
  }

  /** Runs a `notify`, which nobody waits for but `settle`. Failures are logged with the name of the event. */
  notify(event: string, part: Part, notify: () => Promise<void>): void {
    const began = Date.now();
    const run = withinCountdown(notify(), part.limitMs, () => new PartLate(part)).catch((error: unknown) => {
      if (error instanceof PartLate) this.#guard.late(part, `It did not end within ${part.limitMs} ms`, began);
      this.#log.error(`Cannot notify of "${event}"`, { plugin: part.plugin, error });
    });
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  /** Waits for running `notify` handlers, at most until their limit. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }
}
