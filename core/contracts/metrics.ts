/** A figure of a metric, by labels where it has any. */
export interface MetricValue {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric for monitoring, in the terms of Prometheus. */
export interface Metric {
  /** Begins with "lectern_", in snake_case with its unit: "lectern_cache_bytes". */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly labels?: readonly string[];
  /** Reads the figures at a scrape. Where it throws, the metric is left out of that scrape. */
  read(): Promise<readonly MetricValue[]> | readonly MetricValue[];
}

declare module "../runtime/registry.ts" {
  interface Slots {
    metric: Metric;
  }
}
