/** Milliseconds of work between two yields. */
const MAX_MS = 10;

/** Returns a promise to await where it is time to yield to the event loop, else undefined. */
export type YieldToEventLoop = () => Promise<void> | undefined;

/**
 * Creates a function that long synchronous work awaits often; it yields to the event loop every ten milliseconds at most.
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
    if (performance.now() - last < MAX_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        last = performance.now();
        resolve();
      }),
    );
  };
}
