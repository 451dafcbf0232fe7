/** Milliseconds of a second. */
export const SECOND_MS = 1_000;

/**
 * Milliseconds of a minute.
 * @example
 * context.jobs.every("sweep", 10 * MINUTE_MS, async () => {});
 */
export const MINUTE_MS = 60 * SECOND_MS;

/** Milliseconds of an hour. */
export const HOUR_MS = 60 * MINUTE_MS;

/** Milliseconds of a day, as clocks count it in UTC. */
export const DAY_MS = 24 * HOUR_MS;
