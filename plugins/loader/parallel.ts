/** Lets work on the same key happen one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work once all earlier work on the key is over, well or not. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, turn);
    return turn;
  }
}

/** Works through items in order, so many at a time. Rejects with the first failure, after which no item is begun. */
export async function inParallel<T>(
  workers: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  async function worker(): Promise<void> {
    for (const item of waiting) {
      if (failed) return;
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
}
