import { scaled } from "./machine_speed.ts";

const TURN_MS = 10;

/**
 * Reads something again and again until it is as wanted, for what no event tells of. Throws after `ms`, 30,000 by default, or up to
 * five times that on a slow or busy machine.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  isWanted: (found: T) => boolean = Boolean,
  ms = 30_000,
): Promise<T> {
  for (const started = performance.now(); ; await Bun.sleep(TURN_MS)) {
    const found = await read();
    if (isWanted(found)) return found;
    const waited = performance.now() - started;
    if (waited > ms && waited > scaled(ms))
      throw new Error(`Still ${JSON.stringify(found)} after ${Math.round(waited)} ms`);
  }
}
