import { deepFreeze, type SlotSpecs } from "lectern/core";

/** A figure of a metric, by labels where it has any. */
export interface MetricValue {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * A metric for monitoring, in the terms of Prometheus.
 * @example
 * context.contribute("metric", {
 *   name: "lectern_notes_total",
 *   help: "Number of notes.",
 *   type: "gauge",
 *   async read() {
 *     const found = await context.db.selectFrom("notes").select(({ fn }) => fn.countAll<number>().as("n")).executeTakeFirst();
 *     return [{ value: Number(found?.n ?? 0) }];
 *   },
 * });
 */
export interface Metric {
  /** Begins with "lectern_", in snake_case with its unit: "lectern_cache_bytes". */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly labels?: readonly string[];
  /** Whether the figures are of this process alone, so that those of all workers of a server are added up; else the highest counts. */
  readonly perProcess?: boolean;
  /** Reads the figures at a scrape. Where it throws, the metric is left out of that scrape. */
  read(): Promise<readonly MetricValue[]> | readonly MetricValue[];
}

declare module "lectern/core" {
  interface Slots {
    metric: Metric;
  }
}

/** What is known of these slots beside their types. */
export const metricSlots = deepFreeze({
  metric: {
    members: {
      name: "text",
      help: "text",
      type: ["gauge", "counter"],
      labels: "optional_list",
      perProcess: "optional_flag",
      read: "function",
    },
    limit: "readers",
  },
} as const satisfies SlotSpecs);
