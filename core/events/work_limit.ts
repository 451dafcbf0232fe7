/** How long the current job, run of a schedule or command may take: the transactions that it begins itself may take as long. */
import { AsyncLocalStorage } from "node:async_hooks";

const LIMITS = new AsyncLocalStorage<number>();

/** Runs work that no request waits for and that may take so many milliseconds in all. */
export function withWorkLimit<Result>(limitMs: number, run: () => Result): Result {
  return LIMITS.run(limitMs, run);
}

/** Milliseconds that the current work may take in all; undefined for requests. */
export function currentWorkLimit(): number | undefined {
  return LIMITS.getStore();
}
