/**
 * What may be said of a job: how often and when it is tried again, how many run at a time, whom it must not keep waiting. A handler says
 * by the error it throws that no try would help, or by what it returns that it has recorded a failure itself.
 */
import { BootError } from "../errors.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../std/time.ts";

/** Pauses that grow by a factor. */
export interface JobPauses {
  /** Milliseconds before the second try; 1,000 by default. */
  readonly first?: number;
  /** What each pause is multiplied by for the next one; 4 by default. */
  readonly factor?: number;
  /** The longest pause in milliseconds; 3,600,000 by default. */
  readonly max?: number;
}

/** Tries, pauses and lease of a job. */
export interface JobOptions {
  /** Tries before the job is kept as dead; 5 by default. */
  readonly tries?: number;
  /**
   * The pauses between tries in milliseconds, or a function of the try that failed (1 for the first) that returns the next
   * one. By default 1 s, 4 s, 16 s … up to an hour.
   */
  readonly pauseMs?: JobPauses | ((attempt: number) => number);
  /** Milliseconds that a try may take; 60,000 by default. One that still runs then counts as failed, and the job is tried again. */
  readonly leaseMs?: number;
  /** Jobs of this name that run at a time in one process. Without a limit it shares four with all other jobs that have none. */
  readonly limit?: number;
  /**
   * Jobs of one group (`EnqueueOptions`) that run at a time, of a job with a `limit`: 4 by default. A group begins with one, each job
   * that is done permits one more, and while its last one failed it has one, of a quarter of the limit that all such groups share.
   * Those whose last job took longer than a second share half of it.
   */
  readonly perGroup?: number;
}

/** Whom a job must not keep waiting, and what it must not overtake. */
export interface JobPlace {
  /** Whose job it is, such as a receiver: of a job with a `limit`, `perGroup` run at a time, and no group keeps others waiting. */
  readonly group?: string;
  /** Jobs of one name and group that have the same order run one after the other, also where one is tried again; of a job with a `limit`. */
  readonly order?: string;
  /** Milliseconds that a try of this job may take, instead of the lease of its name. */
  readonly leaseMs?: number;
}

/** A try that failed, of which the handler has recorded why: nothing is logged. */
export interface FailedRun {
  /** Milliseconds until the next try; without it the job is removed. */
  readonly againMs?: number;
}

const DEFAULT_TRIES = 5;
const DEFAULT_LEASE_MS = MINUTE_MS;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = HOUR_MS;
/** The longest pause of any policy: 30 days. */
const LONGEST_PAUSE_MS = 30 * DAY_MS;

/**
 * The failure of a job that a further try would not mend, such as an address that does not exist: the job is kept as dead at once.
 * @example
 * throw new JobFailure("The receiver is gone");
 */
export class JobFailure extends Error {
  override readonly name: string = "JobFailure";
}

/** The options of a job with their defaults. */
export type FullJobOptions = Required<Omit<JobOptions, "limit">> & { readonly limit: number | undefined };

/** The options of a job with their defaults. Throws BootError for values that no job can have. */
export function jobOptions(job: string, options: JobOptions): FullJobOptions {
  const { tries = DEFAULT_TRIES, leaseMs = DEFAULT_LEASE_MS, pauseMs = {}, limit, perGroup = 4 } = options;
  for (const [name, value] of Object.entries({ tries, leaseMs, perGroup, ...(limit !== undefined && { limit }) }))
    if (!Number.isInteger(value) || value < 1)
      throw new BootError(`Cannot handle the job "${job}": "${name}" is ${value}, wanted a whole number from 1`);
  for (const [name, value] of typeof pauseMs === "function" ? [] : Object.entries(pauseMs))
    if (!Number.isFinite(value) || value < 0)
      throw new BootError(`Cannot handle the job "${job}": "${name}" of "pauseMs" is ${value}, wanted a number from 0`);
  return { tries, leaseMs, pauseMs, limit, perGroup };
}

/** Whole milliseconds before the next try, after the try `attempt` failed; a function that fails counts as no policy. */
export function pauseAfter({ pauseMs }: Pick<FullJobOptions, "pauseMs">, attempt: number): number {
  if (typeof pauseMs !== "function") return grownPause(pauseMs, attempt);
  try {
    const pause = pauseMs(attempt);
    return Number.isFinite(pause) && pause >= 0
      ? Math.round(Math.min(LONGEST_PAUSE_MS, pause))
      : grownPause({}, attempt);
  } catch {
    return grownPause({}, attempt);
  }
}

function grownPause(
  { first = FIRST_PAUSE_MS, factor = PAUSE_FACTOR, max = MAX_PAUSE_MS }: JobPauses,
  attempt: number,
): number {
  return Math.round(Math.min(max, LONGEST_PAUSE_MS, first * factor ** (attempt - 1)));
}
