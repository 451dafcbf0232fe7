import { ApiError, ExpiringMap, MAX_KEYS } from "lectern/core";

/** Counts by key in whole minutes. */
export interface PerMinute {
  /** Counts one more. Throws ApiError 429 with Retry-After beyond the limit. */
  take(key: string): void;
  /** Throws as `take` does, and counts nothing. */
  check(key: string): void;
}

const MINUTE_MS = 60_000;

/** A limit in this process's memory; 0 limits nothing. All windows end at the minute. */
export function perMinute(limit: number, now: () => number = Date.now): PerMinute {
  const windows = new ExpiringMap<{ count: number; readonly endsAt: number }>(MINUTE_MS, MAX_KEYS, now);
  const refuse = (endsAt: number) => {
    const seconds = Math.ceil((endsAt - now()) / 1000);
    throw new ApiError(429, "Too many requests, please try again later.", {
      headers: { "retry-after": String(Math.max(1, seconds)) },
    });
  };
  return {
    take(key) {
      let window = windows.get(key);
      if (!window) {
        window = { count: 0, endsAt: (Math.floor(now() / MINUTE_MS) + 1) * MINUTE_MS };
        windows.set(key, window);
      }
      window.count += 1;
      if (limit > 0 && window.count > limit) refuse(window.endsAt);
    },
    check(key) {
      const window = windows.get(key);
      if (limit > 0 && window && window.count >= limit) refuse(window.endsAt);
    },
  };
}
