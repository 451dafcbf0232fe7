/**
 * When a connection is given up because the server does not answer. Every statement has a deadline; those that may take longer
 * than a server needs to answer anything have the server asked meanwhile, on another connection, whether it answers at all.
 * One timer serves all statements of a connection, so that a statement in time costs none.
 */

/** What is needed of the connection's surroundings. */
export interface AnswerDeadlineOptions {
  /** How long a server may take to answer anything, in milliseconds; 0 where that is never asked. */
  suspectMs?(): number;
  /** Whether the server answers at all. */
  isAnswering?(): Promise<boolean>;
}

/** Points in time as performance.now() tells them; Infinity for never. */
interface Deadline {
  readonly until: number;
  suspectAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** The deadlines of one connection. */
export class AnswerDeadlines {
  readonly #options: AnswerDeadlineOptions;
  readonly #giveUp: () => void;
  readonly #deadlines = new Set<Deadline>();
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #alarmAt = NEVER;

  /** `giveUp` is called when somebody has waited for too long. */
  constructor(options: AnswerDeadlineOptions, giveUp: () => void) {
    this.#options = options;
    this.#giveUp = giveUp;
  }

  /** Begins a statement that may take so many milliseconds, 0 for ever; the answer is called when it has ended. */
  begin(ms: number): () => void {
    if (ms <= 0) return nothing;
    const now = performance.now();
    const suspectMs = this.#options.suspectMs?.() ?? 0;
    const deadline = { until: now + ms, suspectAt: suspectMs > 0 && suspectMs < ms / 2 ? now + suspectMs : NEVER };
    this.#deadlines.add(deadline);
    this.#setAlarm(deadline);
    return () => void this.#deadlines.delete(deadline);
  }

  /** Forgets all. */
  end(): void {
    clearTimeout(this.#alarm);
    this.#deadlines.clear();
  }

  /** The alarm is moved only to go off earlier; deadlines that were met leave it behind. */
  #setAlarm({ until, suspectAt }: Deadline): void {
    const at = Math.min(until, suspectAt);
    if (at >= this.#alarmAt) return;
    clearTimeout(this.#alarm);
    this.#alarmAt = at;
    this.#alarm = setTimeout(() => this.#look(), Math.max(1, at - performance.now()));
    this.#alarm.unref();
  }

  #look(): void {
    this.#alarmAt = NEVER;
    const now = performance.now();
    for (const deadline of this.#deadlines) {
      if (deadline.until <= now) {
        this.#giveUp();
        return;
      }
      if (deadline.suspectAt <= now) this.#suspect(deadline);
      this.#setAlarm(deadline);
    }
  }

  #suspect(deadline: Deadline): void {
    deadline.suspectAt = NEVER;
    void this.#options.isAnswering?.().then((answers) => {
      if (!this.#deadlines.has(deadline)) return;
      if (!answers) {
        this.#giveUp();
        return;
      }
      deadline.suspectAt = performance.now() + (this.#options.suspectMs?.() ?? NEVER);
      this.#setAlarm(deadline);
    });
  }
}

function nothing(): void {}
