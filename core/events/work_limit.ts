/** How long the current job or run of a schedule may take: the transactions that it begins itself may take as long. */
import { AsyncLocalStorage } from "node:async_hooks";

const LIMITS = new AsyncLocalStorage<number>();

/** Runs work in the background that may take so many milliseconds in all. */
export function withWorkLimit<Result>(limitMs: number, run: () => Result): Result {
  return LIMITS.run(limitMs, run);
}

/** Milliseconds that the current work in the background may take in all; undefined outside of it. */
export function currentWorkLimit(): number | undefined {
  return LIMITS.getStore();
}
