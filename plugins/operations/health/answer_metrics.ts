/**
 * Requests by route, method and status, and their latency by route and method. They are counted in maps and handed to prom-client at a
 * scrape, since its own counting checks and hashes the labels at each call, which took more than half of a cached read.
 */
import type { Metric } from "lectern/contracts";
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
  const counted = new Map<string, Answers>();
  runtime.onAnswer(({ method, route, status, ms }) => {
    const key = `${method} ${route}`;
    let answers = counted.get(key);
    if (!answers) {
      const labels = { method: KNOWN_METHODS.has(method) ? method : "other", route: route === "" ? "none" : route };
      const name = `${labels.method} ${labels.route}`;
      answers = counted.get(name) ?? {
        ...{ labels, byStatus: new Map(), buckets: new Array<number>(SECONDS.length + 1).fill(0), seconds: 0 },
      };
      counted.set(name, answers);
    }
    answers.byStatus.set(status, (answers.byStatus.get(status) ?? 0) + 1);
    answers.seconds += ms / 1000;
    const bucket = SECONDS.findIndex((bound) => ms / 1000 <= bound);
    const place = bucket < 0 ? SECONDS.length : bucket;
    answers.buckets[place] = (answers.buckets[place] ?? 0) + 1;
  });
  // It registers itself.
  new Latency(registry, counted);
  return {
    ...{ name: "lectern_http_requests_total", help: "Answered requests.", type: "counter", perProcess: true },
    labels: ["method", "route", "status"],
    read: () =>
      [...counted.values()].flatMap(({ labels, byStatus }) =>
        [...byStatus].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
      ),
  };
}

/** A histogram whose values are those of the map at the scrape. */
class Latency extends Histogram {
  readonly #counted: ReadonlyMap<string, Answers>;
  /** Has no values, and says of itself what this one would. */
  readonly #described = new Histogram({ ...DESCRIPTION, registers: [] });

  constructor(registry: Registry, counted: ReadonlyMap<string, Answers>) {
    super({ ...DESCRIPTION, registers: [registry] });
    this.#counted = counted;
  }

  override async get() {
    const values = [...this.#counted.values()].flatMap(({ labels, buckets, seconds }) => {
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
