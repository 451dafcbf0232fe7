import type { Allowance, Limiter } from "lectern/core";

/** Addresses held before windows that have ended are swept out. */
const SWEEP_AT = 10_000;

/** Remembers how many requests addresses have left, as the limit told with each; for who wonders why a dashboard is red. */
export class Windows {
  readonly #seen = new Map<string, Allowance>();

  /** The same limiter, listened to. It stays as quick as it was: most polls touch no store. */
  watching(limiter: Limiter): Limiter {
    const noted = (key: string, allowance: Allowance): Allowance => {
      if (this.#seen.size >= SWEEP_AT && !this.#seen.has(key)) this.#sweep();
      this.#seen.set(key, allowance);
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
    const allowance = this.#seen.get(key);
    return allowance && allowance.resetsAt > Date.now() / 1000 ? allowance : undefined;
  }

  #sweep(): void {
    for (const [key, { resetsAt }] of this.#seen) if (resetsAt <= Date.now() / 1000) this.#seen.delete(key);
  }
}
