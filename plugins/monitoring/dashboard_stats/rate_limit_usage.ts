import { type Allowance, ExpiringMap, type Limiter } from "lectern/core";

/** Remembers how many requests addresses have left, as the limit told with each; for who wonders why a dashboard is red. */
export class Windows {
  readonly #seen: ExpiringMap<{ allowance: Allowance; endsAt: number }>;

  /** For windows of this length. */
  constructor(windowMs: number) {
    // Ends of windows are told in whole seconds, rounded up.
    this.#seen = new ExpiringMap(windowMs + 1_000);
  }

  /** The same limiter, listened to. It stays as quick as it was: most polls touch no store. */
  watching(limiter: Limiter): Limiter {
    const noted = (key: string, allowance: Allowance): Allowance => {
      this.#seen.set(key, { allowance, endsAt: allowance.resetsAt * 1_000 });
      return allowance;
    };
    return {
      take: (key) => {
        const taken = limiter.take(key);
        return taken instanceof Promise ? taken.then((allowance) => noted(key, allowance)) : noted(key, taken);
      },
    };
  }

  /** What is left of the window under way; undefined where none is. */
  of(key: string): Allowance | undefined {
    return this.#seen.get(key)?.allowance;
  }
}
