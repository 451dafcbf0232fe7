/**
 * Watches what a boot waits for: a plugin that takes longer than ten seconds is named in the log again and again, and one that does
 * not go on stops the boot. Statements of migrations may take long, as on large tables, so the limit is of the time between them.
 */
import { type Db, transactionControl } from "../../db/mod.ts";
import type { Config } from "../config.ts";
import { BootError } from "../errors.ts";
import type { BootLimits } from "../events/event_parts.ts";
import { GivenUp, TransactionWatch } from "../events/transaction_watch.ts";
import type { Log } from "../log.ts";
import { HOUR_MS, SECOND_MS } from "../std/time.ts";

/** A part of the boot, such as "migration 0002_index" of a plugin. */
export interface AwaitedPart {
  readonly plugin: string;
  readonly part: string;
}

/** A part of the boot that did not go on; the message has to be completed by what it was. */
export class BootLate extends BootError {}

/** Between two lines of the log about the same part. */
const SHOWN_MS = 10_000;
/** A change of the schema, or a handler of "app_boot": longer than an index over the largest tables takes. */
const PART_MS = 12 * HOUR_MS;
/** Lines at least before a limit that is short. */
const LINES = 3;

/** The watch of one boot. */
export class BootWatch {
  readonly limits: BootLimits;
  readonly #log: Log;
  readonly #timers = new Set<ReturnType<typeof setInterval>>();

  constructor({ setupTimeoutMs }: Pick<Config, "setupTimeoutMs">, log: Log) {
    this.limits = { quietMs: setupTimeoutMs, longMs: PART_MS };
    this.#log = log;
  }

  /** Runs a part, and names it in the log while it lasts. */
  async shown<R>(part: AwaitedPart, run: () => Promise<R>): Promise<R> {
    const started = performance.now();
    const show = () => {
      const seconds = Math.round((performance.now() - started) / SECOND_MS);
      this.#log.warn("The start waits for a plugin", { ...part, seconds });
    };
    const timer = setInterval(show, Math.min(SHOWN_MS, this.limits.quietMs / LINES));
    this.#timers.add(timer);
    try {
      return await run();
    } finally {
      clearInterval(timer);
      this.#timers.delete(timer);
    }
  }

  /** Names no part any more, such as one that was given up and never ends. */
  end(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
  }

  /**
   * Runs a part that changes the schema within a transaction. Throws BootLate where no statement was sent or answered for
   * the time of a setup; the transaction takes no more statements then.
   */
  async schemaChange(part: AwaitedPart, tx: Db, run: () => Promise<void>): Promise<void> {
    const { quietMs, longMs } = this.limits;
    const control = await transactionControl(tx);
    const watch = new TransactionWatch({ quietMs, attendedMs: quietMs }, control);
    const body = () => {
      watch.enter({ plugin: part.plugin, place: part.part, limitMs: longMs });
      return run();
    };
    try {
      await this.shown(part, () => watch.run(body));
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      control?.abort();
      throw new BootLate(error.message);
    }
  }
}
