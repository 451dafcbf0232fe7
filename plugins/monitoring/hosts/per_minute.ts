import { ApiError, ExpiringMap, MAX_KEYS, MINUTE_MS, SECOND_MS } from "lectern/core";

/** A limit by key in windows of one minute. */
export interface PerMinute {
  /** Counts one request. Throws ApiError 429 with Retry-After beyond the limit. */
  take(key: string): void;
  /** Throws as `take` does, without counting. */
  check(key: string): void;
}

/** Creates a limit in the memory of this process; 0 for no limit. Windows end at full minutes. */
export function perMinute(limit: number, now: () => number = Date.now): PerMinute {
  const windows = new ExpiringMap<{ count: number; readonly endsAt: number }>(MINUTE_MS, MAX_KEYS, now);
  const refuse = (endsAt: number) => {
    const seconds = Math.ceil((endsAt - now()) / SECOND_MS);
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
