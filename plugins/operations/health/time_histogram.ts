import { Histogram, type HistogramConfiguration, type Registry } from "prom-client";
import { SECONDS, type Times } from "./observed.ts";

/** A histogram of times, whose values are read at the scrape. It registers itself. */
export class TimeHistogram extends Histogram {
  readonly #name: string;
  readonly #read: () => readonly Times[];
  /** Has no values, and says of itself what this one would. */
  readonly #described: Histogram;

  constructor(
    registry: Registry,
    config: Pick<HistogramConfiguration<string>, "name" | "help" | "labelNames">,
    read: () => readonly Times[],
  ) {
    super({ ...config, buckets: SECONDS, registers: [registry] });
    this.#name = config.name;
    this.#read = read;
    this.#described = new Histogram({ ...config, buckets: SECONDS, registers: [] });
  }

  override async get() {
    const name = this.#name;
    const values = this.#read().flatMap(({ labels, buckets, seconds }) => {
      let count = 0;
      const upTo = buckets.map((times, place) => {
        count += times;
        return { labels: { le: SECONDS[place] ?? "+Inf", ...labels }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...upTo,
        { labels, value: seconds, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
    return { ...(await this.#described.get()), values };
  }

  /** What prom-client calls in place of `get` for its text. */
  getForPromString() {
    return this.get();
  }
}
