/**
 * Time limits of the parts of plugins that an operation cannot do without: handlers and actions of events, functions of contracts
 * and slots, authenticators. One that does not end in time is given up, and what it took part in is refused with 503; within a
 * transaction that is rolled back (`events/transaction_watch.ts`). One that did not end in time three times running is not called
 * for a minute: what needs it is refused at once, so that a missing veto, filter or authenticator opens nothing. An error that a part
 * throws does not count, since nobody waits for it, and one user's input would refuse the operation to all others.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Config } from "../config.ts";
import { ApiError, type ErrorDetails, localizedError } from "../errors.ts";
import type { Faults, PartName } from "../faults.ts";
import { isPending, withinCountdown } from "../std/countdown.ts";
import { currentWatch } from "./transaction_watch.ts";

/** Time limits in milliseconds. */
export interface PartLimits {
  /** Of a transaction without a sign of life: no statement was sent or answered. */
  readonly quietMs: number;
  /** Of the same while it waits for what has limits of its own, such as files. */
  readonly attendedMs: number;
  /**
   * Of a handler, or a function that others call, within a transaction, of a plugin that does not ship: also if it sends statement
   * after statement.
   */
  readonly handlerMs: number;
  /** Of every other part within a transaction, but actions of plugins that do not ship (attendedMs): as long as the longest request. */
  readonly longMs: number;
  /** Of a call outside of transactions: short of the limit of a request, so that the answer names the plugin. */
  readonly callMs: number;
}

/** The limits that follow from the configuration. */
export function partLimits(config: LimitSettings): PartLimits {
  const { answerTimeoutMs, longAnswerTimeoutMs, partTimeoutMs, writeTimeoutMs } = config;
  return {
    quietMs: partTimeoutMs,
    attendedMs: answerTimeoutMs,
    handlerMs: writeTimeoutMs,
    longMs: longAnswerTimeoutMs,
    callMs: Math.max(partTimeoutMs, answerTimeoutMs / 2),
  };
}

type LimitSettings = Pick<Config, "answerTimeoutMs" | "longAnswerTimeoutMs" | "partTimeoutMs" | "writeTimeoutMs">;

/** A part of a plugin, as faults name it, with its time limit in milliseconds. */
export interface Part extends PartName {
  readonly limitMs: number;
  /** Within a transaction; `longMs` if absent. */
  readonly withinMs?: number;
  /**
   * Whether it is called however often it did not end in time: for functions of plugins that ship, which wait for what others give
   * them, such as callbacks.
   */
  readonly isKept?: boolean;
}

/** The refusal of an operation whose part did not end in time. */
export class PartLate extends ApiError {
  readonly part: PartName;

  constructor(part: PartName) {
    const { message, details } = refusal(LATE, part);
    super(503, message, details);
    this.part = part;
  }
}

const RETRY_SECONDS = 5;
const LATE = 'The plugin ":plugin" did not answer in time.';
const AWAY = 'The plugin ":plugin" does not run at the moment; try again in a moment.';

function refusal(text: string, { plugin }: PartName): { message: string; details: ErrorDetails } {
  return localizedError(503, text, { plugin }, { headers: { "retry-after": String(RETRY_SECONDS) } });
}

type Call = (this: unknown, ...args: never[]) => unknown;

/** Functions passed to a function of another plugin that run, with when they began; the innermost one last. */
export type PassedRunning = Set<{ readonly part: Part; readonly began: number }>;

/** Those of the current call of a function that others were passed to. */
const PASSED = new AsyncLocalStorage<PassedRunning>();

/** Calls a function that functions of the caller were passed to. */
export function withPassed<R>(running: PassedRunning, call: () => R): R {
  return PASSED.run(running, call);
}

/** A promise in place of what is awaited like one; any other value as it is. Builders of Kysely refuse to be awaited. */
function awaitable<R>(value: R): R | Promise<Awaited<R>> {
  if (typeof value !== "object" || value === null || value instanceof Promise) return value;
  if (!("then" in value) || typeof value.then !== "function" || "toOperationNode" in value) return value;
  return Promise.resolve(value);
}

/** The guard of one runtime. */
export class PartGuard {
  readonly faults: Faults;
  readonly limits: PartLimits;

  constructor(faults: Faults, limits: PartLimits) {
    this.faults = faults;
    this.limits = limits;
  }

  /** The refusal of what needs a part that is not called now; undefined for others. */
  refusalOf(part: Pick<Part, "plugin" | "place" | "isKept">): ApiError | undefined {
    if (part.isKept || !this.faults.leavesOut(part)) return undefined;
    const { message, details } = refusal(AWAY, part);
    return new ApiError(503, message, details);
  }

  /** Records that a part returned what nothing can be done with. Returns the refusal. */
  wrong(part: PartName, reason: string): ApiError {
    this.faults.record(part.plugin, part.place, new Error(reason));
    const { message, details } = refusal(AWAY, part);
    return new ApiError(503, message, details);
  }

  /** Records that a part did not end in time. Returns the refusal. */
  late(part: Pick<Part, "plugin" | "place" | "isKept">, reason: string, began: number): PartLate {
    this.faults.late(part, new Error(reason), part.isKept ? undefined : began);
    return new PartLate(part);
  }

  /** Calls a part. Rejects with PartLate past its limit, and with a refusal where it is not called now. */
  async call<R>(part: Part, run: () => R | Promise<R>): Promise<R> {
    const refused = this.refusalOf(part);
    if (refused) throw refused;
    const began = Date.now();
    let result: R | Promise<R>;
    try {
      result = awaitable(run());
    } catch (error) {
      this.faults.answered(part);
      throw error;
    }
    if (!isPending(result)) {
      this.faults.answered(part);
      return result;
    }
    return this.#limited(part, result as Promise<R>, began);
  }

  /**
   * A function of a plugin that others call, with the limit of its part; within a transaction that of the transaction holds. What it
   * returns at once is returned as it is.
   */
  guarded<F extends Call>(part: Part, call: F): F {
    const guard = this;
    const limited = function (this: unknown, ...args: Parameters<F>): unknown {
      const refused = guard.refusalOf(part);
      // Only functions that return promises are ever late.
      if (refused) return Promise.reject(refused);
      const leave = currentWatch()?.enter(part, part.withinMs ?? guard.limits.longMs);
      const began = Date.now();
      let result: unknown;
      try {
        result = awaitable(call.apply(this, args));
      } catch (error) {
        leave?.();
        guard.faults.answered(part);
        throw error;
      }
      if (!isPending(result)) {
        leave?.();
        guard.faults.answered(part);
        return result;
      }
      if (!leave) return guard.#limited(part, result, began);
      const answered = () => {
        if (leave()) guard.faults.answered(part);
      };
      result.then(answered, answered);
      return result;
    };
    // It takes and returns what the function does.
    return limited as F;
  }

  /**
   * A function that a plugin passes to one of another, with the limit of its part. It is noted while it runs: where the other does not
   * end in time meanwhile, this one is blamed.
   */
  passed<F extends Call>(part: Part, call: F, running: PassedRunning): F {
    const limited = this.guarded(part, call);
    const noted = function (this: unknown, ...args: Parameters<F>): unknown {
      const entry = { part, began: Date.now() };
      running.add(entry);
      const leave = () => void running.delete(entry);
      let result: unknown;
      try {
        result = limited.apply(this, args);
      } catch (error) {
        leave();
        throw error;
      }
      if (isPending(result)) result.then(leave, leave);
      else leave();
      return result;
    };
    // It takes and returns what the function does.
    return noted as F;
  }

  /** A promise of a part. What it throws after its limit is ignored. */
  async #limited<R>(part: Part, promise: Promise<R>, began: number): Promise<R> {
    // Read now, since the timer runs outside of the call.
    const passed = part.isKept ? PASSED.getStore() : undefined;
    try {
      const result = await withinCountdown(promise, part.limitMs, () => new PartLate(part));
      this.faults.answered(part);
      return result;
    } catch (error) {
      if (error instanceof PartLate && error.part === part) {
        const blamed = [...(passed ?? [])].at(-1) ?? { part, began };
        throw this.late(blamed.part, `It did not end within ${part.limitMs} ms`, blamed.began);
      }
      this.faults.answered(part);
      throw error;
    }
  }
}
