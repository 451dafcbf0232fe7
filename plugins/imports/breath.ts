/** How long work may go on before others are let in. */
const MOST_MS = 10;

/** Asked between pieces of long work: answers what to wait for where it has gone on for long, so that others can run. */
export type Breathe = () => Promise<void> | undefined;

/** A breath for one piece of work. */
export function breaths(): Breathe {
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
