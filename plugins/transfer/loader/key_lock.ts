import { Semaphore } from "lectern/core";

/** A lock for each key: work on the same key runs one after the other. */
export class KeyLock {
  readonly #locks = new Map<string, Semaphore>();

  /** Runs the work once all earlier work on the key has ended, whether it succeeded or failed. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(key) ?? new Semaphore({ permits: 1 });
    this.#locks.set(key, lock);
    return lock.run(work);
  }
}
