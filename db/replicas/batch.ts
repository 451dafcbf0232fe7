/** Shares runs of a task among callers: one runs at a time, and a caller gets a run that began after its call. */
export class Batch {
  readonly #task: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  /** Resolves or rejects with a run that begins now, or after the running one. */
  run(): Promise<void> {
    // The next one may be about to begin while none runs.
    if (this.#next) return this.#next;
    if (!this.#running) return this.#begin();
    this.#next = this.#running
      .catch(() => {
        // Its own callers get the failure.
      })
      .then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const running = this.#task().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
