/**
 * How old the news of this process is. Caches forget what a notification names, but a listening connection may go silent
 * without being lost: its process in the server is stopped, or the network drops what it sends. So while cached values are used,
 * this process sends itself a notification, a beat. Notifications arrive in the order of their commits: a beat that has come back proves
 * that those of all commits before it was sent have come, too. A cached value is used if that is known of a moment less than a second ago,
 * or if it was loaded less than a second ago; else the store is asked. Where no notification arrives at all,
 * as behind a pooler in transaction mode, values are thus used for a second. A process that uses no cached value sends nothing.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Store } from "../../db/mod.ts";

/**
 * Milliseconds that a cached value may be behind the store, if changes are made in other processes: much longer than a beat
 * takes, and short for somebody who has revoked a token elsewhere.
 */
const MAX_AGE_MS = 1_000;
/** Milliseconds between two beats while cached values are used. */
const BEAT_MS = 250;
/** Milliseconds until a beat that has not come back is sent again. */
const LOST_BEAT_MS = 1_000;
/** Milliseconds that somebody waits for a beat at most: much longer than it takes where notifications arrive. */
const MAX_WAIT_MS = 100;

/** What beats need of the store. */
type Notices = Pick<Store, "listen" | "notify">;

/** The age of notifications in one process. */
export class NoticeAge {
  readonly #maxAgeMs: number;
  /** Whoever may run a statement may notify, but nobody else knows this name. */
  readonly #channel = `lectern_beat_${randomUUID()}`;
  /** A beat belongs to no request: not to its trace, nor to what it records. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #store: Notices | undefined;
  #beats = 0;
  #isBack = true;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** All notifications of commits before this time have come; while the connection is lost, nothing is cached that one could name. */
  #knownAt = 0;
  #usedAt = Number.NEGATIVE_INFINITY;
  /** Those who wait for the beat that is under way, and for the next one. */
  #waiting: (() => void)[] = [];
  #waitingNext: (() => void)[] = [];

  /** `maxAgeMs`: how far cached values may be behind the store; a second by default. */
  constructor(maxAgeMs = MAX_AGE_MS) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** Begins to hear beats, before anything is cached. Resolves to a stop. */
  async listen(store: Notices): Promise<() => Promise<void>> {
    this.#knownAt = performance.now();
    const stop = await store.listen(this.#channel, {
      onNotify: (beat) => {
        if (beat !== String(this.#beats)) return;
        this.#isBack = true;
        this.#knownAt = this.#sentAt;
        for (const resolve of this.#waiting.splice(0)) resolve();
        if (this.#waitingNext.length > 0) this.#send(performance.now());
      },
    });
    this.#store = store;
    return async () => {
      this.#store = undefined;
      await stop();
    };
  }

  /**
   * Whether a value that was loaded from the store, by statements sent after `since` (of `performance.now()`), may be used now.
   * Changes that notifications report are expected to have removed it.
   */
  allows(since: number): boolean {
    const now = performance.now();
    this.#usedAt = now;
    if (now - this.#sentAt >= (this.#isBack ? BEAT_MS : LOST_BEAT_MS)) this.#send(now);
    return now - Math.max(since, this.#knownAt) < this.#maxAgeMs;
  }

  /** Whether a beat has not come back for longer than it takes where notifications arrive. */
  get isSilent(): boolean {
    return !this.#isBack && performance.now() - this.#sentAt > MAX_WAIT_MS;
  }

  /**
   * Waits until all notifications of commits before this moment have come. Resolves to whether they have: false where none arrive, or late. So what
   * was read before by two statements, at two moments, is known to be of one, unless a notification reported a change of it meanwhile.
   */
  async haveCome(): Promise<boolean> {
    const asked = performance.now();
    if (this.isSilent && asked - this.#sentAt < LOST_BEAT_MS) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, MAX_WAIT_MS, false);
    this.#waitingNext.push(() => resolve(true));
    // A beat that is under way may have been sent before.
    if (this.#isBack || asked - this.#sentAt >= LOST_BEAT_MS) this.#send(asked);
    const isKnown = await promise;
    clearTimeout(timer);
    return isKnown;
  }

  /** Milliseconds since the last moment of which all notifications have come; undefined while no cached value is used. */
  get ageMs(): number | undefined {
    const now = performance.now();
    return now - this.#usedAt < MAX_AGE_MS ? now - this.#knownAt : undefined;
  }

  #send(now: number): void {
    const store = this.#store;
    if (!store) return;
    this.#beats += 1;
    this.#isBack = false;
    this.#sentAt = now;
    this.#waiting.push(...this.#waitingNext.splice(0));
    this.#outside(() => store.notify(this.#channel, String(this.#beats))).catch(() => {
      // The store does not answer, which those who ask it report; the beat is sent again.
    });
  }
}
