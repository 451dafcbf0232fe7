const TURN_MS = 10;

/**
 * Reads something again and again until it is as wanted, for what no event tells of. Throws after `ms`: 30,000 by default, since a
 * busy machine is no failure.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  isWanted: (found: T) => boolean = Boolean,
  ms = 30_000,
): Promise<T> {
  for (const end = performance.now() + ms; ; await Bun.sleep(TURN_MS)) {
    const found = await read();
    if (isWanted(found)) return found;
    if (performance.now() > end) throw new Error(`Still ${JSON.stringify(found)} after ${ms} ms`);
  }
}
