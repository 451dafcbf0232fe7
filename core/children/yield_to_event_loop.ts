/** How long work may go on before others are let in. */
const MOST_MS = 10;

/** Yields to the event loop where long work has gone on for too long: answers the promise to await, or nothing. */
export type YieldToEventLoop = () => Promise<void> | undefined;

/**
 * Makes the function that one piece of long work awaits now and then; it yields at most every ten milliseconds.
 * @example
 * const pause = yieldToEventLoop();
 * const lengths: number[] = [];
 * for (const line of (await request.text()).split("\n")) {
 *   lengths.push(line.length);
 *   await pause();
 * }
 */
export function yieldToEventLoop(): YieldToEventLoop {
  let last = performance.now();
  return () => {
    if (performance.now() - last < MOST_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        last = performance.now();
        resolve();
      }),
    );
  };
}
