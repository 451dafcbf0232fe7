import { ApiError } from "lectern/core";

/** Counts by key in whole minutes. */
export interface PerMinute {
  /** Counts one more. Throws ApiError 429 with Retry-After beyond the limit. */
  take(key: string): void;
  /** Throws as `take` does, and counts nothing. */
  check(key: string): void;
}

const MINUTE_MS = 60_000;

/**
 * A limit in this process's memory; 0 limits nothing. All windows end together, at the minute, so that a hundred thousand
 * hosts are forgotten at once and no request has to sweep.
 */
export function perMinute(limit: number, now: () => number = Date.now): PerMinute {
  let minute = 0;
  let counts = new Map<string, number>();
  const seen = (key: string) => {
    const current = Math.floor(now() / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      counts = new Map();
    }
    return counts.get(key) ?? 0;
  };
  const refuse = () => {
    const seconds = Math.ceil(((minute + 1) * MINUTE_MS - now()) / 1000);
    throw new ApiError(429, "Too many requests, please try again later.", {
      headers: { "retry-after": String(Math.max(1, seconds)) },
    });
  };
  return {
    take(key) {
      const count = seen(key) + 1;
      counts.set(key, count);
      if (limit > 0 && count > limit) refuse();
    },
    check(key) {
      if (limit > 0 && seen(key) >= limit) refuse();
    },
  };
}
