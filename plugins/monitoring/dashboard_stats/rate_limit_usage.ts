import { type Allowance, ExpiringMap, type Limiter, SECOND_MS } from "lectern/core";

/** Records how many requests each address has left in its window, to show administrators why a dashboard is rejected. */
export class RateLimitUsage {
  readonly #seen: ExpiringMap<{ allowance: Allowance; endsAt: number }>;

  constructor(windowMs: number) {
    // The end of a window is given in whole seconds, rounded up.
    this.#seen = new ExpiringMap(windowMs + 1_000);
  }

  /** Wraps a limiter to record its results. Stays synchronous where the limiter is: most polls need no store. */
  recording(limiter: Limiter): Limiter {
    const noted = (key: string, allowance: Allowance): Allowance => {
      this.#seen.set(key, { allowance, endsAt: allowance.resetsAt * SECOND_MS });
      return allowance;
    };
    return {
      take: (key) => {
        const taken = limiter.take(key);
        return taken instanceof Promise ? taken.then((allowance) => noted(key, allowance)) : noted(key, taken);
      },
    };
  }

  /** The state of the current window of a key; undefined where there is none. */
  of(key: string): Allowance | undefined {
    return this.#seen.get(key)?.allowance;
  }
}
