/**
 * The order in which requests begin. One that arrives while little has been done in a turn of the event loop begins at once. The
 * others wait and begin one by one, with a turn of the event loop after each, so that connections are read and answers sent in
 * between; owners, such as users and addresses, take turns. Of one owner so many run at a time, since what they ask the store
 * for, too, is answered in the order of asking. So a burst of one client delays another by a few requests, not by all of them. A request
 * that is answered in the call in which it began is not counted, as no other begins meanwhile.
 *
 * However many wait, each waits `WAIT_MS` at most and is refused then. One whose client has left is taken out: it would take the
 * turn of another, and do what nobody waits for.
 */

import { ApiError } from "../errors.ts";
import { tooBusyError } from "../failures.ts";
import { SECOND_MS } from "../std/time.ts";
import type { Viewer } from "../viewer.ts";
import { networkOf } from "./client_address.ts";
import { currentState } from "./request_context.ts";

/** Milliseconds of a turn of the event loop in which requests begin at once. */
const TURN_MS = 10;
/** Requests of one owner that run at a time: enough to keep the store busy, and of the slowest lists 20 ms together. */
const MAX_RUNNING = 8;
/** How long a request counts as one that runs: what takes longer waits for something, such as a lock or a child process. */
const COUNTED_MS = 1_000;
/** How long a request waits for its turn: as long as a task in a child process may take. */
const WAIT_MS = 30 * SECOND_MS;
/** How often those that wait are looked through: seldom, as most wait for a few milliseconds. */
const LOOK_MS = 250;
/** Nobody reads the answer. */
const LEFT = new ApiError(408, "The client left before the turn of its request.");

/** A request that waits, or work on the body of one. */
interface Waiting {
  readonly since: number;
  /** The signal of its client, which is made when it is read. */
  readonly client: { readonly signal: AbortSignal } | undefined;
  begin(): void;
  refuse(error: ApiError): void;
}

interface Owner {
  readonly name: string;
  readonly waiting: Waiting[];
  /** The requests that run and count, in the order in which they began, by when they began. */
  readonly running: Map<Turn, number>;
}

/** The turn of a request that has begun. One that is answered without waiting for anything ends before another could see it run. */
export class Turn {
  readonly #turns: RequestTurns;
  readonly #owner: string;
  #hasEnded = false;

  constructor(turns: RequestTurns, owner: string) {
    this.#turns = turns;
    this.#owner = owner;
  }

  /** The request waits for something: it is one of those of its owner that run, until it ends. */
  run(): void {
    if (!this.#hasEnded) this.#turns.ran(this.#owner, this);
  }

  /** Ends it, which may be done twice. */
  end(): void {
    this.#hasEnded = true;
    this.#turns.ended(this.#owner, this);
  }
}

/** The turns of one listener. */
export class RequestTurns {
  /** Owners with waiting or running requests; the one whose request began last is behind the others. */
  readonly #owners = new Map<string, Owner>();
  #waiting = 0;
  /** When something began first in this turn of the event loop; undefined where nothing has. */
  #began: number | undefined;
  #isScheduled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #look: ReturnType<typeof setTimeout> | undefined;
  readonly #waitMs: number;

  /** `waitMs` is how long a request waits at most. */
  constructor(waitMs: number = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /**
   * A promise to await before short work on the body of a request; undefined where the work may begin at once. It takes turns with the
   * requests of its owner.
   */
  pause(name: string, client?: Waiting["client"]): Promise<void> | undefined {
    if (this.#waiting === 0 && this.#hasTime()) return undefined;
    return this.#wait(this.#ownerOf(`body of ${name}`), client, () => {});
  }

  /** Begins a request, in its owner's turn. Rejects with ApiError 503 after `WAIT_MS`, and where the client has left meanwhile. */
  begin(name: string, client?: Waiting["client"]): Turn | Promise<Turn> {
    const owner = this.#owners.get(name);
    const hasPlace = !owner || (owner.waiting.length === 0 && owner.running.size < MAX_RUNNING);
    if (hasPlace && this.#hasTime()) return new Turn(this, name);
    return this.#wait(owner ?? this.#ownerOf(name), client, () => {
      const turn = new Turn(this, name);
      turn.run();
      return turn;
    });
  }

  /** Counts a request among those that run. */
  ran(name: string, turn: Turn): void {
    this.#ownerOf(name).running.set(turn, performance.now());
  }

  /** Lets others of its owner begin, where a request was counted. */
  ended(name: string, turn: Turn): void {
    const owner = this.#owners.get(name);
    if (!owner?.running.delete(turn)) return;
    if (owner.waiting.length > 0) this.#schedule();
    else this.#forgetIdle(owner);
  }

  #wait<R>(owner: Owner, client: Waiting["client"], begin: () => R): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    owner.waiting.push({ since: performance.now(), client, begin: () => resolve(begin()), refuse: reject });
    this.#waiting += 1;
    this.#schedule();
    this.#look ??= setTimeout(() => this.#lookThrough(), LOOK_MS);
    return promise;
  }

  /** Takes out those that have waited too long, and those whose clients have left. */
  #lookThrough(): void {
    const late = performance.now() - this.#waitMs;
    for (const owner of [...this.#owners.values()]) {
      for (const one of [...owner.waiting]) {
        const isLeft = one.client?.signal.aborted === true;
        if (!isLeft && one.since > late) continue;
        owner.waiting.splice(owner.waiting.indexOf(one), 1);
        this.#waiting -= 1;
        one.refuse(isLeft ? LEFT : tooBusyError());
      }
      this.#forgetIdle(owner);
    }
    this.#look = this.#waiting > 0 ? setTimeout(() => this.#lookThrough(), LOOK_MS) : undefined;
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#began === undefined) {
      this.#began = now;
      this.#schedule();
      return true;
    }
    return now - this.#began < TURN_MS;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#began = undefined;
      if (this.#waiting > 0) this.#next();
    });
  }

  /** Lets the next owner begin what it asked for first; where all wait for requests of their own, waits for one to end. */
  #next(): void {
    for (const owner of this.#owners.values()) {
      const next = this.#hasPlace(owner) ? owner.waiting.shift() : undefined;
      if (!next) continue;
      this.#waiting -= 1;
      this.#owners.delete(owner.name);
      this.#owners.set(owner.name, owner);
      this.#began = performance.now();
      next.begin();
      this.#forgetIdle(owner);
      this.#schedule();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#schedule();
    }, this.#untilCounted());
  }

  #hasPlace({ running }: Owner): boolean {
    const now = performance.now();
    for (const [request, began] of running) {
      if (now - began < COUNTED_MS) break;
      running.delete(request);
    }
    return running.size < MAX_RUNNING;
  }

  /** Milliseconds until the first request of those that others wait for no longer counts. */
  #untilCounted(): number {
    const now = performance.now();
    const firsts = [...this.#owners.values()].flatMap(({ waiting, running }) =>
      waiting.length > 0 ? [...running.values()].slice(0, 1) : [],
    );
    return Math.max(0, Math.min(...firsts) + COUNTED_MS - now);
  }

  #ownerOf(name: string): Owner {
    const known = this.#owners.get(name);
    if (known) return known;
    const owner: Owner = { name, waiting: [], running: new Map() };
    this.#owners.set(name, owner);
    return owner;
  }

  #forgetIdle({ name, waiting, running }: Owner): void {
    if (waiting.length + running.size === 0) this.#owners.delete(name);
  }
}

/** Of a request: who asks, and from where. */
interface Asker {
  readonly viewer: Viewer;
  readonly address: string;
}

/** Whether nobody is signed in. */
export function isStranger({ viewer }: Asker): boolean {
  return viewer.via === "guest";
}

/** Whose turns a request takes: its user's, or its address's where there is none. */
export function ownerOf(asker: Asker): string {
  return isStranger(asker) ? `address ${networkOf(asker.address)}` : `viewer ${asker.viewer.id}`;
}

/** Whose turns the current request takes; "" outside of one. */
export function currentOwner(): string {
  const state = currentState();
  return state ? ownerOf(state) : "";
}
