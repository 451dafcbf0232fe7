/**
 * The sixteen fields of the statistics (dashboard-stats 1.3), made once for each reading of the numbers: whoever polls
 * while a reading is under way shares the next one, so polls cannot pile up, and who saw a report acknowledged sees it
 * counted. The tag is over every field but the time, so that nothing changed is an empty answer.
 */
import type { Fleet } from "./contract.ts";

type Numbers = Awaited<ReturnType<Fleet["numbers"]>>;

/** The statistics as dashboards read them. */
export interface Statistics {
  readonly total_hosts: number;
  readonly hosts_needing_updates: number;
  readonly up_to_date_hosts: number;
  readonly security_updates: number;
  readonly hosts_with_security_updates: number;
  readonly total_outdated_packages: number;
  readonly total_repos: number;
  readonly recent_updates_24h: number;
  readonly os_distribution: Numbers["systems"];
  readonly top_os_1_name: string;
  readonly top_os_1_count: number;
  readonly top_os_2_name: string;
  readonly top_os_2_count: number;
  readonly top_os_3_name: string;
  readonly top_os_3_count: number;
  /** When the numbers were read: ISO 8601 UTC with milliseconds. */
  readonly last_updated: string;
}

/** A reading, ready to be sent. */
export interface Reading {
  readonly numbers: Numbers;
  readonly statistics: Statistics;
  /** The statistics as JSON. */
  readonly text: string;
  /** A weak entity tag. */
  readonly etag: string;
}

/** How long a poll may wait for the store, in milliseconds (dashboard-stats 9.4). */
export const TIMEOUT_MS = 2_000;

const NO_SYSTEM = { name: "None", count: 0 };

/** The statistics of the numbers. */
export function statisticsOf(numbers: Numbers): Statistics {
  const [first = NO_SYSTEM, second = NO_SYSTEM, third = NO_SYSTEM] = numbers.systems;
  return {
    total_hosts: numbers.hosts,
    hosts_needing_updates: numbers.needing,
    up_to_date_hosts: numbers.hosts - numbers.needing,
    security_updates: numbers.security,
    hosts_with_security_updates: numbers.at_risk,
    total_outdated_packages: numbers.outdated,
    total_repos: numbers.repositories,
    recent_updates_24h: numbers.reports_24h,
    os_distribution: numbers.systems,
    top_os_1_name: first.name,
    top_os_1_count: first.count,
    top_os_2_name: second.name,
    top_os_2_count: second.count,
    top_os_3_name: third.name,
    top_os_3_count: third.count,
    last_updated: numbers.at,
  };
}

/** A reading of the numbers. */
export function readingOf(numbers: Numbers): Reading {
  const statistics = statisticsOf(numbers);
  const { last_updated: _, ...counts } = statistics;
  const etag = `W/"${Bun.hash(JSON.stringify(counts)).toString(36)}"`;
  return { numbers, statistics, text: JSON.stringify(statistics), etag };
}

/** Whether a client has what a tag stands for, by its `If-None-Match`. */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || header === "*") return true;
  const strong = etag.slice(2);
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === strong);
}

/**
 * Runs `read` once at a time: whoever asks during a run shares the next one, never the running one. Whoever has waited for
 * `timeoutMs` is told so; the run itself goes on, and no other begins before it has ended, however many ask.
 */
export function coalesced<T>(read: () => Promise<T>, timeoutMs: number): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const start = () => {
    next = undefined;
    const run = read();
    running = run.catch(() => {});
    return run;
  };
  return () => {
    next ??= running.then(start);
    return within(timeoutMs, next);
  };
}

/** Remembers what `read` answers for `ms`; 0 remembers nothing. */
export function keptFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  if (ms === 0) return read;
  let kept: { readonly value: T; readonly until: number } | undefined;
  return async () => {
    if (kept && Date.now() < kept.until) return kept.value;
    const started = Date.now();
    const value = await read();
    kept = { value, until: started + ms };
    return value;
  };
}

/** What `run` answers. Throws where that takes longer than `ms`. */
export async function within<T>(ms: number, run: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The store gave no answer in ${ms} ms`)), ms);
  try {
    return await Promise.race([run, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
