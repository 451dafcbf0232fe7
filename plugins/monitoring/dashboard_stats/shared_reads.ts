/**
 * Polls share readings: those that arrive while one is under way wait for the next one, so that polls cannot pile up and a
 * report that was acknowledged is included in every later answer.
 */
import { withinTime } from "lectern/core";
import { outsideTransaction } from "lectern/db";

/** How long a poll may wait for the store, in milliseconds (dashboard-stats 9.4). */
export const TIMEOUT_MS = 2_000;

/**
 * Runs `read` once at a time: callers during a run share the next run, never the one under way. A call rejects after
 * `timeoutMs`; the run itself continues, and no other starts before it has ended.
 */
export function coalesce<T>(read: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const start = () => {
    next = undefined;
    const run = outsideTransaction(read);
    running = run.catch(() => {});
    return run;
  };
  return () => {
    next ??= running.then(start);
    return withTimeout(timeoutMs, next);
  };
}

/** Caches the result of `read` for `ms` milliseconds; 0 disables the cache. */
export function cacheFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  if (ms === 0) return read;
  let cached: { readonly value: T; readonly until: number } | undefined;
  return async () => {
    if (cached && Date.now() < cached.until) return cached.value;
    const started = Date.now();
    const value = await read();
    cached = { value, until: started + ms };
    return value;
  };
}

/** Resolves with `run`. Rejects where that takes longer than `ms` milliseconds. */
export async function withTimeout<T>(ms: number, run: Promise<T>): Promise<T> {
  return withinTime(ms, () => run, `The store gave no answer in ${ms} ms`);
}
