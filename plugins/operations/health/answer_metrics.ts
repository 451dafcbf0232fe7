/**
 * Requests by route, method and status, and their latency by route and method. They are counted in maps and handed to prom-client at a
 * scrape, since its own counting checks and hashes the labels at each call, which took more than half of a cached read.
 */
import type { Metric } from "lectern/contracts";
import type { AnsweredRequest } from "lectern/core";
import { Histogram, type Registry } from "prom-client";
import type { HealthContext } from "./contract.ts";

/** Upper bounds of the buckets of latencies, in seconds. */
export const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
const LATENCY = "lectern_http_request_seconds";
const DESCRIPTION = { name: LATENCY, help: "Time to the answer.", buckets: SECONDS, labelNames: ["method", "route"] };
/** Methods that clients choose freely would be labels without number. */
const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The answers of one route and method. */
interface Answers {
  readonly labels: { readonly method: string; readonly route: string };
  readonly byStatus: Map<number, number>;
  /** Answers by the first bucket that they fit in; the last one is for those beyond all bounds. */
  readonly buckets: number[];
  seconds: number;
}

/** Counts answers from now on. Returns the metric of their number; their latency is registered. */
export function answerMetrics({ runtime }: HealthContext, registry: Registry): Metric {
  const counted = new AnswerCounts();
  runtime.onAnswer((answered) => counted.count(answered));
  // It registers itself.
  new Latency(registry, counted);
  return {
    ...{ name: "lectern_http_requests_total", help: "Answered requests.", type: "counter", perProcess: true },
    labels: ["method", "route", "status"],
    read: () =>
      counted
        .all()
        .flatMap(({ labels, byStatus }) =>
          [...byStatus].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
        ),
  };
}

/** Answers by route, then by method: both are texts that exist already, so nothing is joined and hashed at an answer. */
class AnswerCounts {
  readonly #byRoute = new Map<string, Map<string, Answers>>();

  /** Counts an answer. */
  count({ method, route, status, ms }: AnsweredRequest): void {
    const answers = this.#byRoute.get(route)?.get(method) ?? this.#add(route, method);
    const seconds = ms / 1000;
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1);
    answers.seconds += seconds;
    let bucket = 0;
    while (bucket < SECONDS.length && seconds > (SECONDS[bucket] ?? 0)) bucket += 1;
    answers.buckets[bucket] = (answers.buckets[bucket] ?? 0) + 1;
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
    const buckets = new Array<number>(SECONDS.length + 1).fill(0);
    const answers = byMethod.get(method) ?? { labels, byStatus: new Map(), buckets, seconds: 0 };
    byMethod.set(method, answers);
    return answers;
  }
}

/** A histogram whose values are those of the map at the scrape. */
class Latency extends Histogram {
  readonly #counted: AnswerCounts;
  /** Has no values, and says of itself what this one would. */
  readonly #described = new Histogram({ ...DESCRIPTION, registers: [] });

  constructor(registry: Registry, counted: AnswerCounts) {
    super({ ...DESCRIPTION, registers: [registry] });
    this.#counted = counted;
  }

  override async get() {
    const values = this.#counted.all().flatMap(({ labels, buckets, seconds }) => {
      let count = 0;
      const upTo = buckets.map((answers, place) => {
        count += answers;
        return { labels: { le: SECONDS[place] ?? "+Inf", ...labels }, value: count, metricName: `${LATENCY}_bucket` };
      });
      return [
        ...upTo,
        { labels, value: seconds, metricName: `${LATENCY}_sum` },
        { labels, value: count, metricName: `${LATENCY}_count` },
      ];
    });
    return { ...(await this.#described.get()), values };
  }

  /** What prom-client calls in place of `get` for its text. */
  getForPromString() {
    return this.get();
  }
}
