/** A request that was answered over HTTP. */
export interface AnsweredRequest {
  readonly method: string;
  /** The path of its route, such as "/api/books/:id"; "" where there is none. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** Listeners to the answers of a server. */
export class AnswerObservers {
  readonly #listeners: ((answered: AnsweredRequest) => void)[] = [];

  /** Whether there is any, so that nothing is measured for none. */
  get isEmpty(): boolean {
    return this.#listeners.length === 0;
  }

  /** Adds a listener, which is called before the answer is sent and has to be quick. */
  add(listener: (answered: AnsweredRequest) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls the listeners. Throws what a listener throws. */
  notify(answered: AnsweredRequest): void {
    for (const listener of this.#listeners) listener(answered);
  }
}
