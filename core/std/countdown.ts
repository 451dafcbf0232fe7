/**
 * Counts down the time of work that somebody waits for: calls of plugins, open transactions. One timer counts for all of them, in
 * steps of 100 ms and only while there are any, since a timer for each call would cost more than most calls. Time in which the
 * event loop was blocked, or the process was stopped, counts as two steps at most: what is waited for could not go on then.
 *
 * What began last is looked at first, and what waits for it gets its error before it is looked at itself: of a call and one within it
 * that come to their limits in the same step, the inner one is given up.
 */

/** Something whose time is counted. */
export interface Counted {
  /** Milliseconds have passed. Runs in no asynchronous context of its own, so it only settles promises. */
  passed(ms: number): void;
}

const STEP_MS = 100;
/** Steps that one late call of the timer counts as, at most. */
const MAX_STEPS = 2;

/** With the time of their begin, as `performance.now()` gives it. */
const COUNTED = new Map<Counted, number>();
let timer: ReturnType<typeof setInterval> | undefined;
let last = 0;

/** Begins to count. */
export function startCounting(counted: Counted): void {
  const now = performance.now();
  COUNTED.set(counted, now);
  if (timer !== undefined) return;
  last = now;
  timer = setInterval(() => void step(), STEP_MS);
}

/** Ends to count. */
export function stopCounting(counted: Counted): void {
  COUNTED.delete(counted);
}

async function step(): Promise<void> {
  const now = performance.now();
  const ms = Math.min(now - last, STEP_MS * MAX_STEPS);
  last = now;
  for (const [counted, began] of [...COUNTED].reverse()) {
    if (!COUNTED.has(counted)) continue;
    counted.passed(Math.min(ms, now - began));
    if (!COUNTED.has(counted)) await new Promise((resolve) => setImmediate(resolve));
  }
  if (COUNTED.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Whether a value is a promise that has not settled yet. */
export function isPending(value: unknown): value is Promise<unknown> {
  return value instanceof Promise && Bun.peek.status(value) === "pending";
}

/**
 * The value of a promise. Rejects with `late()` where it has not settled after `limitMs` milliseconds; what it does later is ignored.
 * A promise that has settled is returned as it is.
 */
export function withinCountdown<R>(promise: Promise<R>, limitMs: number, late: () => Error): Promise<R> {
  if (!isPending(promise)) return promise;
  return new Promise<R>((resolve, reject) => {
    let leftMs = limitMs;
    const counted: Counted = {
      passed(ms) {
        leftMs -= ms;
        if (leftMs > 0) return;
        stopCounting(counted);
        reject(late());
      },
    };
    startCounting(counted);
    promise.then(
      (value) => {
        stopCounting(counted);
        resolve(value);
      },
      (error: unknown) => {
        stopCounting(counted);
        reject(error);
      },
    );
  });
}
