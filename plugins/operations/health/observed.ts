/**
 * What metrics count from the start on: answers, waits and the delay of the event loop. They are counted in maps, and handed to
 * prom-client at a scrape: it is loaded then, and its own counting checks and hashes the labels at each call, which took more
 * than half of a cached read.
 */
import type { AnsweredRequest } from "lectern/core";
import { SECOND_MS } from "lectern/core";
import type { HealthContext } from "./contract.ts";

/** Upper bounds of the buckets of times, in seconds. */
export const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
/** Methods that clients choose freely would be labels without number. */
const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const LAG_STEP_MS = 500;

/** Times with the same labels. */
export interface Times {
  readonly labels: Readonly<Record<string, string>>;
  /** Counts by the first bucket that they fit in; the last one is for those beyond all bounds. */
  readonly buckets: number[];
  seconds: number;
}

/** The answers of one route and method. */
interface Answers extends Times {
  readonly byStatus: Map<number, number>;
}

/** What is counted. */
export interface Observed {
  answers(): readonly Answers[];
  waits(): readonly Times[];
  /** The longest delay of a timer since the last call: Bun has no histogram of the event loop. */
  takeLagMs(): number;
}

/** Counts from now on. */
export function observe({ contracts: { telemetry }, onStart, onStop }: HealthContext): Observed {
  const answers = new AnswerCounts();
  telemetry.onAnswer((answered) => answers.count(answered));
  const waits = new Map<string, Times>();
  telemetry.onWait((what, ms) => {
    const known = waits.get(what) ?? noTimes({ for: what });
    waits.set(what, known);
    addTo(known, ms / SECOND_MS);
  });
  let longestMs = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  onStart(() => {
    let last = performance.now();
    timer = setInterval(() => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - last - LAG_STEP_MS);
      last = now;
    }, LAG_STEP_MS);
    timer.unref();
  });
  onStop(() => clearInterval(timer));
  return {
    answers: () => answers.all(),
    waits: () => [...waits.values()],
    takeLagMs() {
      const ms = longestMs;
      longestMs = 0;
      return ms;
    },
  };
}

function noTimes(labels: Times["labels"]): Times {
  return { labels, buckets: new Array<number>(SECONDS.length + 1).fill(0), seconds: 0 };
}

function addTo(times: Times, seconds: number): void {
  times.seconds += seconds;
  let bucket = 0;
  while (bucket < SECONDS.length && seconds > (SECONDS[bucket] ?? 0)) bucket += 1;
  times.buckets[bucket] = (times.buckets[bucket] ?? 0) + 1;
}

/** Answers by route, then by method: both are texts that exist already, so nothing is joined and hashed at an answer. */
class AnswerCounts {
  readonly #byRoute = new Map<string, Map<string, Answers>>();

  /** Counts an answer. */
  count({ method, route, status, ms }: AnsweredRequest): void {
    const answers = this.#byRoute.get(route)?.get(method) ?? this.#add(route, method);
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1);
    addTo(answers, ms / SECOND_MS);
  }

  /** The answers of each route and method. */
  all(): Answers[] {
    return [...this.#byRoute.values()].flatMap((byMethod) => [...byMethod.values()]);
  }

  #add(route: string, given: string): Answers {
    const method = KNOWN_METHODS.has(given) ? given : "other";
    const byMethod = this.#byRoute.get(route) ?? new Map<string, Answers>();
    this.#byRoute.set(route, byMethod);
    const labels = { method, route: route === "" ? "none" : route };
    const answers = byMethod.get(method) ?? { ...noTimes(labels), byStatus: new Map() };
    byMethod.set(method, answers);
    return answers;
  }
}
