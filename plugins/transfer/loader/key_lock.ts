/** Lets work on the same key happen one after the other. */
export class KeyLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work once all earlier work on the key is over, well or not. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, turn);
    return turn;
  }
}
