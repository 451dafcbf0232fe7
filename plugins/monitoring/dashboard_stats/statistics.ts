/**
 * The sixteen fields of the statistics (dashboard-stats 1.3), built once for each reading of the numbers. The entity tag covers
 * every field but the time, so that unchanged numbers are answered with an empty 304.
 */
import type { Static } from "lectern/core";
import type { Fleet, statisticsSchema } from "./contract.ts";

type Numbers = Awaited<ReturnType<Fleet["numbers"]>>;

/** The statistics in the shape that dashboards read. */
export type Statistics = Static<typeof statisticsSchema>;

/** One reading of the numbers, ready to be sent. */
export interface Reading {
  readonly numbers: Numbers;
  readonly statistics: Statistics;
  /** The statistics as JSON. */
  readonly text: string;
  /** A weak entity tag. */
  readonly etag: string;
}

const NO_SYSTEM = { name: "None", count: 0 };

/** Builds the statistics from the numbers. */
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

/** Builds a reading from the numbers. */
export function readingOf(numbers: Numbers): Reading {
  const statistics = statisticsOf(numbers);
  const { last_updated: _, ...counts } = statistics;
  const etag = `W/"${Bun.hash(JSON.stringify(counts)).toString(36)}"`;
  return { numbers, statistics, text: JSON.stringify(statistics), etag };
}

/** Whether an `If-None-Match` header matches an entity tag. */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag || header === "*") return true;
  const strong = etag.slice(2);
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === strong);
}
