/**
 * The fair queue of Lectern: bounds how much runs at once within one process, like `std/semaphore.ts`, and shares it between
 * owners, such as users and addresses. Nobody waits behind all that another owner asked for: one owner leaves a permit to
 * others, has half of the places to wait, and takes turns with others however many of its callers wait. A caller may have
 * several owners, such as an address and an account, and is then served as late as the one of them that was served last.
 * Places are counted by callers, or by what they keep in memory while they wait, where they say so.
 */
import { waited } from "./waits.ts";

/** Size and limits of a fair queue. */
export interface FairQueueOptions {
  /** What the permits are for, in snake_case: waits for them are among the metrics. */
  readonly name: string;
  /** Holders at a time; one owner has all but one of several. */
  readonly permits: number;
  /** What may wait at a time, over all owners: callers, or what they weigh together. */
  readonly maxWaiting: number;
  /** Milliseconds that one may wait. */
  readonly waitMs: number;
  /** The error of a caller that may not wait, or no longer. */
  busy(): Error;
}

/** An owner with waiting or running callers. */
interface Owner {
  readonly name: string;
  /** What its waiting callers weigh together. */
  waiting: number;
  running: number;
  /** The number of the turn that admitted the latest of its callers. */
  turn: number;
}

interface Caller {
  readonly owners: readonly Owner[];
  readonly weight: number;
  readonly admitted: PromiseWithResolvers<void>;
  /** When it began to wait; undefined where a permit was free. */
  since?: number;
  expires?: ReturnType<typeof setTimeout>;
}

/** The share of the places to wait that one owner may fill. */
const OWNER_SHARE = 0.5;

/**
 * Permits of one process that owners share fairly. A full queue drops the caller of the owner with most of them, the last
 * of several.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #owners = new Map<string, Owner>();
  #waiting: Caller[] = [];
  #weight = 0;
  #held = 0;
  #turn = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Waits for a permit and resolves with the function that releases it, to be called once. Rejects with `busy()`. */
  acquire(...owners: readonly string[]): Promise<() => void> {
    return this.acquireWeighing(1, ...owners);
  }

  /** The same for a caller that takes more than one place while it waits, such as one for each byte that it keeps. */
  async acquireWeighing(weight: number, ...owners: readonly string[]): Promise<() => void> {
    const caller: Caller = {
      owners: owners.map((name) => this.#ownerOf(name)),
      weight: Math.max(1, weight),
      admitted: Promise.withResolvers(),
    };
    for (const owner of caller.owners) owner.waiting += caller.weight;
    this.#weight += caller.weight;
    this.#waiting.push(caller);
    this.#admit();
    if (this.#waiting.includes(caller)) {
      caller.since = performance.now();
      caller.expires = setTimeout(() => this.#refuse(caller, this.#options.busy()), this.#options.waitMs);
      this.#dropExcess(caller);
    }
    await caller.admitted.promise;
    return () => this.#release(caller);
  }

  /** Rejects all that wait with an error. */
  refuseWaiting(error: Error): void {
    for (const caller of [...this.#waiting]) this.#refuse(caller, error);
  }

  #admit(): void {
    while (this.#held < this.#options.permits) {
      const next = this.#next();
      if (!next) return;
      this.#leave(next);
      this.#held += 1;
      this.#turn += 1;
      for (const owner of next.owners) {
        owner.running += 1;
        owner.turn = this.#turn;
      }
      next.admitted.resolve();
    }
  }

  /** The caller whose owners have the fewest permits; among several, the one whose owners' latest turn was longest ago. */
  #next(): Caller | undefined {
    const most = Math.max(1, this.#options.permits - 1);
    let chosen: { readonly caller: Caller; readonly rank: readonly number[] } | undefined;
    for (const caller of this.#waiting) {
      const running = Math.max(0, ...caller.owners.map((owner) => owner.running));
      if (running >= most) continue;
      const rank = [running, ...descending(caller.owners.map((owner) => owner.turn))];
      if (!chosen || compare(rank, chosen.rank) < 0) chosen = { caller, rank };
    }
    return chosen?.caller;
  }

  /** Drops callers while an owner of the newest one, or all, have too many, the newest one at last. */
  #dropExcess(newest: Caller): void {
    for (let dropped: Caller | undefined; dropped !== newest; ) {
      dropped = this.#excess(newest);
      if (!dropped) return;
      this.#refuse(dropped, this.#options.busy());
    }
  }

  /** The caller to drop if an owner of the newest one, or all, have too many; undefined where there is room. */
  #excess(newest: Caller): Caller | undefined {
    const { maxWaiting } = this.#options;
    const share = Math.ceil(maxWaiting * OWNER_SHARE);
    const crowded = newest.owners.find((owner) => owner.waiting > share);
    if (!crowded && this.#weight <= maxWaiting) return undefined;
    const candidates = crowded ? this.#waiting.filter(({ owners }) => owners.includes(crowded)) : this.#waiting;
    const crowdOf = ({ owners }: Caller) => descending(owners.map((owner) => owner.waiting));
    return candidates.reduce((most, one) => (compare(crowdOf(one), crowdOf(most)) >= 0 ? one : most), newest);
  }

  #refuse(caller: Caller, error: Error): void {
    this.#leave(caller);
    this.#forgetIdle(caller);
    caller.admitted.reject(error);
  }

  /** Takes a caller out of those that wait. */
  #leave(caller: Caller): void {
    this.#waiting = this.#waiting.filter((one) => one !== caller);
    clearTimeout(caller.expires);
    if (caller.since !== undefined) waited(this.#options.name, caller.since);
    this.#weight -= caller.weight;
    for (const owner of caller.owners) owner.waiting -= caller.weight;
  }

  #release(caller: Caller): void {
    this.#held -= 1;
    for (const owner of caller.owners) owner.running -= 1;
    this.#forgetIdle(caller);
    this.#admit();
  }

  /** A new owner comes before the one that was served last and after the others, so that a stream of new ones delays nobody for ever. */
  #ownerOf(name: string): Owner {
    const known = this.#owners.get(name);
    if (known) return known;
    const owner = { name, waiting: 0, running: 0, turn: this.#turn - 1 };
    this.#owners.set(name, owner);
    return owner;
  }

  #forgetIdle({ owners }: Caller): void {
    for (const { name, waiting, running } of owners) if (waiting + running === 0) this.#owners.delete(name);
  }
}

function descending(numbers: readonly number[]): number[] {
  return numbers.toSorted((one, other) => other - one);
}

/** Compares lists by their first numbers that differ; where one list ends before, it is the smaller. */
function compare(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? Number.NEGATIVE_INFINITY);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
