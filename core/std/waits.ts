/**
 * Waits of this process for what only so many may use at once: permits of named semaphores, child processes. They are shown to
 * listeners when they end, whether with success or not; what is had at once is no wait. Those of the store's pools are shown
 * by the store.
 */

/** Is called with each wait: for what, and for how many milliseconds. It has to be quick. */
export type WaitListener = (what: string, ms: number) => void;

const LISTENERS = new Set<WaitListener>();

/** The listeners of one runtime, to waits of the process and for connections of its store. */
export class Waits {
  readonly #listeners: WaitListener[] = [];
  readonly #notify: WaitListener = (what, ms) => {
    for (const listener of this.#listeners) listener(what, ms);
  };

  constructor(store: { observeWaits(observer: (pool: string, ms: number) => void): void }) {
    store.observeWaits((pool, ms) => this.#notify(`store_${pool}`, ms));
  }

  /** Adds a listener. */
  add(listener: WaitListener): void {
    this.#listeners.push(listener);
    LISTENERS.add(this.#notify);
  }

  /** Shows the listeners no more waits of the process. */
  stop(): void {
    LISTENERS.delete(this.#notify);
  }
}

/** Shows the listeners a wait that began at this time of `performance.now()`. */
export function waited(what: string, since: number): void {
  if (LISTENERS.size === 0) return;
  const ms = performance.now() - since;
  for (const listener of LISTENERS) listener(what, ms);
}
