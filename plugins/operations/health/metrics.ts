/**
 * The metrics of the process, its answers, the store and jobs, and those that plugins contribute to the slot `metric`. What is
 * read from the store is read at a scrape, and left out of it where the store does not answer. This module is loaded at the first
 * scrape: prom-client looks through the whole heap when it registers the metrics of the process, which starts need not wait for.
 */
import type { Metric } from "lectern/contracts";
import { type AnswerCacheFigures, callContribution, MINUTE_MS, type RawBuilder, SECOND_MS, sql } from "lectern/core";
import { ConnectionLost, type Tables } from "lectern/db";
import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObject,
  Registry,
} from "prom-client";
import type { HealthContext } from "./contract.ts";
import type { Observed } from "./observed.ts";
import { replicaMetrics } from "./replica_metrics.ts";
import { TimeHistogram } from "./time_histogram.ts";

/** How long the size of the database counts as current: reading it takes a look at every file. */
const SIZE_AGE_MS = MINUTE_MS;

/** The metrics of a process. */
export interface Metrics {
  readonly contentType: string;
  /** Reads them all, as text, with those of other workers. */
  text(ofOthers: Promise<readonly MetricObject[][]>): Promise<string>;
  /** Reads them all, for another worker. */
  list(): Promise<MetricObject[]>;
}

/** Registers the metrics. */
export function registerMetrics(context: HealthContext, observed: Observed): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerTimes(observed, registry);
  const contributed = new Map<string, Gauge | Counter>();
  const own = [
    answerMetric(observed),
    ...storeMetrics(context),
    ...replicaMetrics(context),
    ...jobMetrics(context),
    ...answerCacheMetrics(context),
  ];
  const readAll = async () => {
    const read = (metric: Metric) => readInto(registry, contributed, metric);
    // The log has a line for the loss of the store, which scrapes and metrics do not repeat.
    const unread = (error: unknown) =>
      context.log[error instanceof ConnectionLost ? "debug" : "warn"]("Cannot read a metric", { error });
    await Promise.all([
      ...own.map((metric) => read(metric).catch(unread)),
      // A failure of the store is thrown and not recorded as one of the plugin; it must not close the scrape.
      ...context.slot("metric").map((metric) => callContribution(metric, read, metric.name).catch(unread)),
    ]);
  };
  const list = async () => {
    await readAll();
    return registry.getMetricsAsJSON();
  };
  return {
    contentType: registry.contentType,
    list,
    async text(ofOthers) {
      const [all, others] = await Promise.all([list(), ofOthers]);
      return others.length === 0 ? registry.metrics() : AggregatorRegistry.aggregate([all, ...others]).metrics();
    },
  };
}

/** Requests by route, method and status. */
function answerMetric(observed: Observed): Metric {
  return {
    ...{ name: "lectern_http_requests_total", help: "Answered requests.", type: "counter", perProcess: true },
    labels: ["method", "route", "status"],
    read: () =>
      observed
        .answers()
        .flatMap(({ labels, byStatus }) =>
          [...byStatus].map(([status, value]) => ({ labels: { ...labels, status: String(status) }, value })),
        ),
  };
}

function registerTimes(observed: Observed, registry: Registry): void {
  const latency = {
    name: "lectern_http_request_seconds",
    help: "Time to the answer.",
    labelNames: ["method", "route"],
  };
  const waits = { name: "lectern_wait_seconds", help: "Waits for what is not free at once.", labelNames: ["for"] };
  // They register themselves.
  new TimeHistogram(registry, latency, () => observed.answers());
  new TimeHistogram(registry, waits, () => observed.waits());
  new Gauge({
    name: "lectern_event_loop_lag_seconds",
    help: "Longest delay of the event loop since the last scrape.",
    aggregator: "max",
    registers: [registry],
    collect() {
      this.set(observed.takeLagMs() / SECOND_MS);
    },
  });
}

function storeMetrics({ contracts: { telemetry }, pools }: HealthContext): Metric[] {
  const connections = (name: string, help: string, of: "connections" | "busy" | "waiting"): Metric => ({
    ...{ name, help, type: "gauge", labels: ["pool"], perProcess: true },
    read: () => Object.entries(telemetry.storeLoad()).map(([pool, load]) => ({ labels: { pool }, value: load[of] })),
  });
  let size: { readonly value: number; readonly at: number } | undefined;
  return [
    connections("lectern_store_connections", "Open connections to the store.", "connections"),
    connections("lectern_store_busy", "Running statements and transactions.", "busy"),
    connections("lectern_store_waiting", "Callers that wait for a connection.", "waiting"),
    {
      ...{ name: "lectern_store_bytes", help: "Size of the database.", type: "gauge" },
      async read() {
        if (size && performance.now() - size.at < SIZE_AGE_MS) return [size];
        const [found] = await pools.poll(sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`);
        size = { value: Number(found?.bytes), at: performance.now() };
        return [size];
      },
    },
  ];
}

function answerCacheMetrics({ contracts: { telemetry } }: HealthContext): Metric[] {
  const figure = (
    of: Exclude<keyof AnswerCacheFigures, "noticeAgeMs">,
    type: Metric["type"],
    name: string,
    help: string,
  ): Metric => ({
    ...{ name: `lectern_answer_cache_${name}`, help, type },
    read: () => [{ value: telemetry.answerCache()[of] }],
  });
  return [
    figure("hits", "counter", "hits_total", "Answers from the cache."),
    figure("misses", "counter", "misses_total", "Answers that were loaded and could have been cached."),
    figure("evictions", "counter", "evictions_total", "Cached answers that were removed for others."),
    figure("forgotten", "counter", "forgotten_total", "Cached answers that were removed since a row changed."),
    figure("bytes", "gauge", "bytes", "Memory of cached answers."),
    figure("entries", "gauge", "entries", "Cached answers."),
    {
      ...{ name: "lectern_notice_age_seconds", help: "Age of the news of other processes.", type: "gauge" },
      read() {
        const { noticeAgeMs } = telemetry.answerCache();
        return noticeAgeMs === undefined ? [] : [{ value: noticeAgeMs / SECOND_MS }];
      },
    },
  ];
}

function jobMetrics({ pools }: HealthContext): Metric[] {
  const state: RawBuilder<string> = sql`case when dead then 'dead' when leased_until > now() then 'running'
    when run_at > now() then 'delayed' else 'due' end`;
  const table = sql.table("jobs" satisfies keyof Tables);
  return [
    {
      ...{ name: "lectern_jobs", help: "Background jobs by name and state.", type: "gauge", labels: ["job", "state"] },
      async read() {
        const found = await pools.poll(
          sql<{ job: string; state: string; value: string }>`select name as job, ${state} as state, count(*) as value
            from ${table} group by 1, 2`,
        );
        return found.map(({ job, state, value }) => ({ labels: { job, state }, value: Number(value) }));
      },
    },
  ];
}

/** Reads a metric into the registry. Throws where it fails; it then has no figures in this scrape. */
async function readInto(registry: Registry, known: Map<string, Gauge | Counter>, metric: Metric): Promise<void> {
  const { name, help, labels = [], type, perProcess = false } = metric;
  const aggregator: Aggregator = perProcess ? "sum" : "max";
  const options = { name, help, labelNames: [...labels], registers: [registry], aggregator };
  const target = known.get(name) ?? (type === "gauge" ? new Gauge(options) : new Counter(options));
  known.set(name, target);
  clear(target, labels);
  const values = await metric.read();
  // A read that ended after its limit, while another one was running, must not add to that.
  clear(target, labels);
  for (const { labels: of = {}, value } of values) target.inc({ ...of }, value);
}

/** Removes all figures. `reset` sets the one of a metric without labels to 0, which would be a figure that nobody has read. */
function clear(target: Gauge | Counter, labels: readonly string[]): void {
  target.reset();
  if (labels.length === 0) target.remove();
}
