/**
 * Faults of contributions. A contribution to a slot that throws, rejects, takes longer than a part may or returns
 * what its reader cannot use is left out where its slot allows that (plugins/hooks.md says for each slot), and the rest is
 * answered. One that failed three times running is not called for a minute. The first failure of a plugin at a place is logged, later
 * ones are counted; administrators see all of them. Parts that no operation can do without are in `events/part_guard.ts`.
 */
import { ConnectionLost, StoreUnavailable } from "../db/mod.ts";
import type { Log } from "./log.ts";
import { withinCountdown } from "./std/countdown.ts";
import { FailureStreaks, LEFT_OUT_MS } from "./std/failure_streaks.ts";

/** A part of a plugin that failed and was left out, in this process. */
export interface Fault {
  readonly plugin: string;
  /** The slot, with what it was called for: "screen_part page/below". */
  readonly place: string;
  /** The message of the last failure. */
  readonly message: string;
  /** Failures since the process started. */
  readonly count: number;
  readonly first: Date;
  readonly last: Date;
}

/** Names a part of a plugin. */
export type PartName = Pick<Fault, "plugin" | "place">;

/** Faults that are kept, so that places that vary do not fill the memory; further ones are dropped. */
const MAX_FAULTS = 500;
/** Characters of a message that are kept. */
const MAX_MESSAGE = 500;

/** The faults of one runtime. */
export class Faults {
  /** Milliseconds that a contribution may take. */
  readonly limitMs: number;
  readonly #log: Log;
  readonly #known = new Map<string, Fault>();
  readonly #streaks = new FailureStreaks();
  /** When a part last did not end in time; `Date.now()`. */
  #lastLate = Number.NEGATIVE_INFINITY;
  /** Failures since the process started, of all plugins, and calls that were left out. */
  total = 0;

  constructor(log: Log, limitMs: number) {
    this.#log = log;
    this.limitMs = limitMs;
  }

  /** Records a failure; the first one of a plugin at a place is logged as an error. */
  record(plugin: string, place: string, error: unknown): void {
    if (this.count(plugin, place, error) === 1)
      this.#log.error("A part of a plugin failed and is left out", { plugin, place, error });
  }

  /** Counts a failure that the caller logs. Returns how many there were at this place, 0 where no more places are kept. */
  count(plugin: string, place: string, error: unknown): number {
    this.total += 1;
    const key = `${plugin}\n${place}`;
    const before = this.#known.get(key);
    if (!before && this.#known.size >= MAX_FAULTS) return 0;
    const [last, count] = [new Date(), (before?.count ?? 0) + 1];
    const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE);
    this.#known.set(key, Object.freeze({ plugin, place, message, last, count, first: before?.first ?? last }));
    return count;
  }

  /**
   * Whether a part is not to be called now, since it failed three times running. Every minute one call is: its outcome has to be
   * reported by `answered` or `failed`.
   */
  leavesOut({ plugin, place }: PartName): boolean {
    if (this.#streaks.isEmpty || !this.#streaks.leavesOut(`${plugin}\n${place}`)) return false;
    this.total += 1;
    return true;
  }

  /** A part has answered. */
  answered({ plugin, place }: PartName): void {
    if (this.#streaks.isEmpty || !this.#streaks.answered(`${plugin}\n${place}`)) return;
    this.#log.info("A part of a plugin works again", { plugin, place });
  }

  /** Records a failure of a call that began at `began`, a time of `Date.now()`, and counts those that are running. */
  failed({ plugin, place }: PartName, error: unknown, began: number): void {
    this.record(plugin, place, error);
    this.#countRunning(plugin, place, began);
  }

  /**
   * Records that a part which nothing can do without did not end in time, as `failed` does. Without `began` it is called further,
   * however often that happens.
   */
  late({ plugin, place }: PartName, error: Error, began: number | undefined): void {
    this.#lastLate = Date.now();
    if (this.count(plugin, place, error) === 1)
      this.#log.error("A part of a plugin did not end in time", { plugin, place, error: error.message });
    if (began !== undefined) this.#countRunning(plugin, place, began);
  }

  #countRunning(plugin: string, place: string, began: number): void {
    if (!this.#streaks.failed(`${plugin}\n${place}`, began)) return;
    this.#log.error("A part of a plugin failed three times running and is not called for a minute", { plugin, place });
  }

  /** Whether parts of plugins are left out at present, or one did not end in time within the last minute. */
  get isDegraded(): boolean {
    return Math.abs(Date.now() - this.#lastLate) < LEFT_OUT_MS || this.#streaks.hasLeftOut;
  }

  /** All faults, the latest first. */
  list(): readonly Fault[] {
    return [...this.#known.values()].sort((a, b) => b.last.getTime() - a.last.getTime());
  }
}

/** Which plugin contributed an object, to which slot. */
interface Origin {
  readonly plugin: string;
  readonly slot: string;
  readonly faults: Faults;
  /** Whether another plugin added the plugin by `extend`: it is code of the operator's own files. */
  readonly isOperators: boolean;
  /** Whether the plugin ships with Lectern. */
  readonly ships: boolean;
}

const ORIGINS = new WeakMap<object, Origin>();

/** Records which plugin contributes an object to which slot. Returns the contribution; texts have no origin. */
export function withOrigin<C>(contribution: C, origin: Origin): C {
  if (typeof contribution === "object" && contribution !== null) ORIGINS.set(contribution, origin);
  return contribution;
}

/** Gives what stands for a contribution, such as a wrapper, its origin. Returns the wrapper. */
export function withOriginOf<C>(wrapper: C, contribution: unknown): C {
  const origin = originOf(contribution);
  return origin ? withOrigin(wrapper, origin) : wrapper;
}

/**
 * The plugin that contributed an object to a slot; undefined for what is no contribution.
 * @example
 * const greeters = [{ greet: (name: string) => `Hello ${name}` }]; // those of `slot`
 * const plugins = greeters.map(contributorOf);
 */
export function contributorOf(contribution: unknown): string | undefined {
  return originOf(contribution)?.plugin;
}

/**
 * Whether a contribution to a slot is of code of the operator's own files, such as a theme: of a plugin that another one added by
 * `extend`.
 * @example
 * const greeters = [{ greet: (name: string) => `Hello ${name}` }]; // those of `slot`
 * const isStrict = !greeters.some(isOperatorsOwn);
 */
export function isOperatorsOwn(contribution: unknown): boolean {
  return originOf(contribution)?.isOperators === true;
}

/**
 * Whether a contribution to a slot is of a plugin that ships with Lectern.
 * @example
 * const greeters = [{ greet: (name: string) => `Hello ${name}` }]; // those of `slot`
 * const shipped = greeters.filter(isShipped);
 */
export function isShipped(contribution: unknown): boolean {
  return originOf(contribution)?.ships === true;
}

/**
 * Calls a contribution to a slot, for at most the time of a part (`partTimeoutMs`). Returns undefined where it fails: the failure is
 * recorded under the plugin that contributed it, the slot and `detail`, and logged once. An error of `run` itself counts too, so
 * it may check what the contribution returns. Failures of the store (no connection, lost connection) are thrown.
 * @example
 * const greeter = { greet: async (name: string) => `Hello ${name}` }; // one of `slot`
 * const greeting = (await callContribution(greeter, (each) => each.greet("Ada"))) ?? "";
 */
export async function callContribution<C, R>(
  contribution: C,
  run: (contribution: C) => R | PromiseLike<R>,
  detail = "",
): Promise<R | undefined> {
  const origin = originOf(contribution);
  if (!origin) return run(contribution);
  const { faults } = origin;
  const part = partOf(origin, detail);
  if (faults.leavesOut(part)) return undefined;
  const began = Date.now();
  try {
    const result = run(contribution);
    const answer = isPromise(result) ? await within(result, faults.limitMs) : result;
    faults.answered(part);
    return answer;
  } catch (error) {
    return leaveOut(faults, part, error, began);
  }
}

/**
 * Calls contributions at the same time, each as `callContribution` does. Returns the results of those that did not fail, in order.
 * @example
 * const greeters = [{ greet: async (name: string) => `Hello ${name}` }]; // those of `slot`
 * const greetings = await callContributions(greeters, (each) => each.greet("Ada"));
 */
export async function callContributions<C, R>(
  contributions: readonly C[],
  run: (contribution: C) => R | PromiseLike<R>,
  detail: (contribution: C) => string = () => "",
): Promise<R[]> {
  const results = await Promise.all(contributions.map((each) => callContribution(each, run, detail(each))));
  return results.filter((result) => result !== undefined);
}

/**
 * Calls a contribution that answers at once, as `callContribution` does.
 * @example
 * const greeter = { greet: (name: string) => `Hello ${name}` }; // one of `slot`
 * const greeting = callContributionNow(greeter, (each) => each.greet("Ada")) ?? "";
 */
export function callContributionNow<C, R>(contribution: C, run: (contribution: C) => R, detail = ""): R | undefined {
  const origin = originOf(contribution);
  if (!origin) return run(contribution);
  const { faults } = origin;
  const part = partOf(origin, detail);
  if (faults.leavesOut(part)) return undefined;
  const began = Date.now();
  try {
    const answer = run(contribution);
    faults.answered(part);
    return answer;
  } catch (error) {
    return leaveOut(faults, part, error, began);
  }
}

/** A listener of a plugin, such as that of `telemetry.onAnswer`: its failures are recorded as faults and not thrown. */
export function withFaults<Given>(
  listener: (given: Given) => void,
  { plugin, faults }: { readonly plugin: string; readonly faults: Faults },
): (given: Given) => void {
  const failed = (error: unknown) => faults.record(plugin, "onAnswer", error);
  return (given) => {
    try {
      // One that is asynchronous, which its type does not exclude.
      const result: unknown = listener(given);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

function originOf(contribution: unknown): Origin | undefined {
  return typeof contribution === "object" && contribution !== null ? ORIGINS.get(contribution) : undefined;
}

function partOf({ plugin, slot }: Origin, detail: string): PartName {
  return { plugin, place: detail === "" ? slot : `${slot} ${detail}` };
}

function leaveOut(faults: Faults, part: PartName, error: unknown, began: number): undefined {
  if (error instanceof StoreUnavailable || error instanceof ConnectionLost) throw error;
  faults.failed(part, error, began);
}

function isPromise<R>(value: R | PromiseLike<R>): value is PromiseLike<R> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** The value of a promise. Throws where it takes longer than `limitMs`; its later failure is ignored. */
function within<R>(promise: PromiseLike<R>, limitMs: number): Promise<R> {
  const late = () => new Error(`It did not answer within ${limitMs} ms`);
  return withinCountdown(Promise.resolve(promise), limitMs, late);
}

/** Deepest nesting of a value that is answered as JSON; deeper ones are taken for circular. Trees of comments have some 200 levels. */
const MAX_DEPTH = 500;

/**
 * Why a value cannot be written as JSON; undefined if it can. Throws what a `toJSON` of it throws.
 * @example
 * const reason = unwritable({ stars: 3n }); // "a BigInt, which is no JSON"
 */
export function unwritable(value: unknown, depth = 0): string | undefined {
  if (typeof value === "bigint") return "a BigInt, which is no JSON";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return "an object that contains itself";
  if ("toJSON" in value && typeof value.toJSON === "function") return unwritable(value.toJSON(), depth + 1);
  for (const key in value) {
    const reason = unwritable((value as Record<string, unknown>)[key], depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
