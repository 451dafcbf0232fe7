import { MINUTE_MS } from "./time.ts";

/**
 * Which parts of plugins are left out for a while: those that failed three times running. After a minute one call is tried; the
 * others wait for its outcome, which ends the streak or begins another minute.
 */

/** Failures running after which a part is left out. */
export const MAX_RUNNING_FAILURES = 3;
/** Milliseconds for which a part is left out before it is tried again. */
export const LEFT_OUT_MS = MINUTE_MS;
/** Streaks that are kept, so that places that vary do not fill the memory; further ones are not counted. */
const MAX_STREAKS = 500;

interface Streak {
  failures: number;
  /** When the last failure was known; times are those of `Date.now()`. */
  at: number;
  /** Until when the part is left out. */
  until: number;
}

/** The streaks of one runtime, by the key of a part. */
export class FailureStreaks {
  readonly #streaks = new Map<string, Streak>();

  /** Whether no part has failed since it last answered: then nothing has to be looked up. */
  get isEmpty(): boolean {
    return this.#streaks.size === 0;
  }

  /** Whether some part is left out at present. */
  get hasLeftOut(): boolean {
    return [...this.#streaks.values()].some((streak) => isOut(streak));
  }

  /** Whether a call of a part is left out. A call that is not is the one that tries it. */
  leavesOut(key: string): boolean {
    const streak = this.#streaks.get(key);
    if (!streak || streak.failures < MAX_RUNNING_FAILURES) return false;
    if (isOut(streak)) return true;
    streak.until = Date.now() + LEFT_OUT_MS;
    return false;
  }

  /**
   * Counts a failure of a call that began at `began`. Calls that ran at the same time are one failure: they share its cause, such as a
   * store that does not answer. Returns whether the part is left out from now on and was not before.
   */
  failed(key: string, began: number): boolean {
    const known = this.#streaks.get(key);
    if (known && began < known.at) return false;
    if (!known && this.#streaks.size >= MAX_STREAKS) return false;
    const streak = known ?? { failures: 0, at: 0, until: 0 };
    this.#streaks.set(key, streak);
    streak.at = Date.now();
    streak.failures += 1;
    if (streak.failures < MAX_RUNNING_FAILURES) return false;
    streak.until = streak.at + LEFT_OUT_MS;
    return streak.failures === MAX_RUNNING_FAILURES;
  }

  /** A part has answered, which ends its streak. Returns whether it had been left out. */
  answered(key: string): boolean {
    const failures = this.#streaks.get(key)?.failures ?? 0;
    this.#streaks.delete(key);
    return failures >= MAX_RUNNING_FAILURES;
  }
}

/** Whether the pause lasts. A clock that was set back would make it longer than it is. */
function isOut({ failures, until }: Streak): boolean {
  const leftMs = until - Date.now();
  return failures >= MAX_RUNNING_FAILURES && leftMs > 0 && leftMs <= LEFT_OUT_MS;
}
