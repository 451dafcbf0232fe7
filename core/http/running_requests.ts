/**
 * The running requests of a listener and their deadlines. After its deadline a request is answered 503; its handler may still
 * complete. Time spent waiting for the body does not count (`body_stream.ts` limits it). A stop ends running requests the same
 * way. One timer checks all deadlines once a second, since a timer for each request would slow all of them down.
 */
import { ApiError } from "../errors.ts";
import type { MaybePromise } from "../std/when_ready.ts";

/** The part of the server that is used here. */
export interface Answerer {
  handle(request: Request, peer: string, watch?: Watch): MaybePromise<Response>;
  /** The answer to a request that failed with an error. */
  refuse(request: Request, error: ApiError): Response;
  /** Whether the route of a request may take long. */
  takesLong(request: Request): boolean;
}

/** Is called when the server begins to wait for the body of a request, and when the body has arrived. */
export interface Watch {
  readingBody(isReading: boolean): void;
}

/** How long an answer may take, in milliseconds. */
export interface AnswerTimes {
  readonly usualMs: number;
  /** Of routes that say `takes: "long"`. */
  readonly longMs: number;
}

const CHECK_MS = 1_000;
const QUIET_STEPS = 5;
const LATE = new ApiError(503, "The server took too long to answer. What was asked for may still be done.", {
  headers: { "retry-after": "60", connection: "close" },
});

class Running implements Watch {
  readonly #usualMs: number;
  readonly request: Request;
  /** Answers the request, once it is waited for. */
  end: (response: Response) => void = () => {};
  /** Of `performance.now()`; none while nobody waits for the request, or it for its body. */
  deadline = Number.POSITIVE_INFINITY;
  #isReading = false;

  constructor(request: Request, usualMs: number) {
    this.request = request;
    this.#usualMs = usualMs;
  }

  readingBody(isReading: boolean): void {
    this.#isReading = isReading;
    if (isReading) this.deadline = Number.POSITIVE_INFINITY;
    else this.begin();
  }

  /** Begins the time for an answer, unless that of the body has not ended. */
  begin(): void {
    if (!this.#isReading) this.deadline = performance.now() + this.#usualMs;
  }
}

/** Running requests. */
export class RunningRequests {
  readonly #answerer: Answerer;
  readonly #times: AnswerTimes;
  readonly #running = new Set<Running>();
  readonly #timer: ReturnType<typeof setInterval>;
  #started = 0;

  constructor(answerer: Answerer, times: AnswerTimes) {
    this.#answerer = answerer;
    this.#times = times;
    this.#timer = setInterval(() => this.#endLate(), CHECK_MS);
    this.#timer.unref();
  }

  /** Answers a request before its deadline, else with 503. A promise only where something is waited for. */
  answer(request: Request, peer: string): MaybePromise<Response> {
    this.#started += 1;
    const running = new Running(request, this.#times.usualMs);
    const answer = this.#answerer.handle(request, peer, running);
    return answer instanceof Promise ? this.#answerInTime(running, answer) : answer;
  }

  #answerInTime(running: Running, answer: Promise<Response>): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    running.end = resolve;
    running.begin();
    this.#running.add(running);
    answer.then(
      (response) => {
        // A request that was ended already has its answer.
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
   * Waits until no request has begun for `quietMs`, at most ten times as long. The time is counted in several short sleeps, so
   * that a blocked event loop first accepts the connections that waited for it.
   */
  async quiet(quietMs: number): Promise<void> {
    const stepMs = quietMs / QUIET_STEPS;
    let quiet = 0;
    for (let step = 0; stepMs > 0 && quiet < QUIET_STEPS && step < QUIET_STEPS * 10; step++) {
      const before = this.#started;
      await Bun.sleep(stepMs);
      quiet = this.#started === before ? quiet + 1 : 0;
    }
  }

  /** Answers all running requests with an error. */
  endAll(error: ApiError): void {
    for (const running of this.#running) this.#end(running, error);
  }

  /** Stops checking deadlines. */
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
