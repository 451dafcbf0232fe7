/**
 * The requests that a listener is answering. Each has a time by which it is answered: past it, the client reads a 503 in
 * the one error shape instead of waiting on, and what was begun may still come to its end. The time of the body does not count,
 * which `body_stream.ts` watches. At a stop the same way ends what has taken too long. Deadlines are looked after once a second
 * for all requests together, since a timer for each would cost every request something.
 */
import { ApiError } from "../errors.ts";

/** What answers requests, as far as it matters here. */
export interface Answerer {
  answer(request: Request, peer: string, watch?: Watch): Promise<Response>;
  /** An error as a request would be answered with it. */
  refuse(request: Request, error: ApiError): Response;
  /** Whether the route at a request's path is one of those that may take long. */
  takesLong(request: Request): boolean;
}

/** Is told when the server begins to wait for a request's body, and when the body is there. */
export interface Watch {
  readingBody(isReading: boolean): void;
}

/** How long an answer may take, in milliseconds. */
export interface AnswerTimes {
  readonly usualMs: number;
  /** Of routes that say `takes: "long"`. */
  readonly longMs: number;
}

const LOOK_MS = 1_000;
const LATE = new ApiError(503, "The server took too long to answer. What was asked for may still be done.", {
  headers: { "retry-after": "60", connection: "close" },
});

class Running implements Watch {
  readonly #usualMs: number;
  readonly request: Request;
  readonly end: (response: Response) => void;
  deadline: number;

  constructor(request: Request, usualMs: number, end: (response: Response) => void) {
    this.request = request;
    this.#usualMs = usualMs;
    this.end = end;
    this.deadline = performance.now() + usualMs;
  }

  readingBody(isReading: boolean): void {
    this.deadline = isReading ? Number.POSITIVE_INFINITY : performance.now() + this.#usualMs;
  }
}

/** Requests under way. */
export class RunningRequests {
  readonly #answerer: Answerer;
  readonly #times: AnswerTimes;
  readonly #running = new Set<Running>();
  readonly #timer: ReturnType<typeof setInterval>;
  #begun = 0;

  constructor(answerer: Answerer, times: AnswerTimes) {
    this.#answerer = answerer;
    this.#times = times;
    this.#timer = setInterval(() => this.#endLate(), LOOK_MS);
    this.#timer.unref();
  }

  /** Answers a request, in time or with a 503. */
  answer(request: Request, peer: string): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const running = new Running(request, this.#times.usualMs, resolve);
    this.#running.add(running);
    this.#begun += 1;
    this.#answerer.answer(request, peer, running).then(
      (response) => {
        // Nobody reads the answer to what was ended before.
        if (!this.#running.delete(running)) void response.body?.cancel();
        resolve(response);
      },
      (error: unknown) => {
        this.#running.delete(running);
        reject(error);
      },
    );
    return promise;
  }

  /**
   * Waits until no request has begun for `quietMs`, ten times as long at most. Counted in turns of the event loop and not
   * by the clock alone: a loop that was kept busy has connections to accept that have waited for it.
   */
  async quiet(quietMs: number): Promise<void> {
    const turnMs = quietMs / TURNS;
    let quiet = 0;
    for (let turn = 0; turnMs > 0 && quiet < TURNS && turn < TURNS * 10; turn++) {
      const before = this.#begun;
      await Bun.sleep(turnMs);
      quiet = this.#begun === before ? quiet + 1 : 0;
    }
  }

  /** Answers all that is under way with an error. */
  endAll(error: ApiError): void {
    for (const running of this.#running) this.#end(running, error);
  }

  /** Looks after deadlines no more. */
  close(): void {
    clearInterval(this.#timer);
  }

  #endLate(): void {
    const now = performance.now();
    const { usualMs, longMs } = this.#times;
    for (const running of this.#running) {
      if (running.deadline > now) continue;
      const more = this.#answerer.takesLong(running.request) ? longMs - usualMs : 0;
      if (running.deadline + more > now) continue;
      this.#end(running, LATE);
    }
  }

  #end(running: Running, error: ApiError): void {
    this.#running.delete(running);
    running.end(this.#answerer.refuse(running.request, error));
  }
}

const TURNS = 5;
