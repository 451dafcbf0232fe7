/**
 * Deadlines of answers: a connection is dropped when the server does not answer. While a statement with a long deadline
 * runs, a probe over another connection checks that the server answers at all. All statements of a connection share one
 * timer, so that a statement in time costs none.
 */

/** Options of a connection's deadlines. */
export interface AnswerDeadlineOptions {
  /** Milliseconds without an answer before the server is probed; 0 for never. */
  suspectMs?(): number;
  /** Probes whether the server answers. */
  isAnswering?(): Promise<boolean>;
}

/** Times of performance.now(); Infinity for never. */
interface Deadline {
  readonly until: number;
  suspectAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** The deadlines of one connection. */
export class AnswerDeadlines {
  readonly #options: AnswerDeadlineOptions;
  readonly #onExceeded: () => void;
  readonly #deadlines = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = NEVER;

  /** `onExceeded` is called when a deadline has passed or the server does not answer a probe. */
  constructor(options: AnswerDeadlineOptions, onExceeded: () => void) {
    this.#options = options;
    this.#onExceeded = onExceeded;
  }

  /** Begins a deadline in milliseconds, 0 for none. Returns the function that ends it. */
  begin(ms: number): () => void {
    if (ms <= 0) return noop;
    const now = performance.now();
    const suspectMs = this.#options.suspectMs?.() ?? 0;
    const deadline = { until: now + ms, suspectAt: suspectMs > 0 && suspectMs < ms / 2 ? now + suspectMs : NEVER };
    this.#deadlines.add(deadline);
    this.#setTimer(deadline);
    return () => void this.#deadlines.delete(deadline);
  }

  /** Ends all deadlines. */
  end(): void {
    clearTimeout(this.#timer);
    this.#deadlines.clear();
  }

  /** Moves the timer to an earlier time only; met deadlines leave it set. */
  #setTimer({ until, suspectAt }: Deadline): void {
    const at = Math.min(until, suspectAt);
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#check(), Math.max(1, at - performance.now()));
    this.#timer.unref();
  }

  #check(): void {
    this.#timerAt = NEVER;
    const now = performance.now();
    for (const deadline of this.#deadlines) {
      if (deadline.until <= now) {
        this.#onExceeded();
        return;
      }
      if (deadline.suspectAt <= now) this.#suspect(deadline);
      this.#setTimer(deadline);
    }
  }

  #suspect(deadline: Deadline): void {
    deadline.suspectAt = NEVER;
    void this.#options.isAnswering?.().then((answers) => {
      if (!this.#deadlines.has(deadline)) return;
      if (!answers) {
        this.#onExceeded();
        return;
      }
      deadline.suspectAt = performance.now() + (this.#options.suspectMs?.() ?? NEVER);
      this.#setTimer(deadline);
    });
  }
}

function noop(): void {}
