/** How often a key was seen in its window. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds at which the window ends. */
  readonly resetsAt: number;
  readonly exceeded: boolean;
}

/** Counts requests in fixed windows, each opened by the first request of its key (platform 1.6). */
export interface Limiter {
  take(key: string): Allowance;
}

/** Keys held before windows that have ended are swept out. */
const SWEEP_AT = 10_000;

/** A limiter in this process's memory: `limit` requests in `windowMs` milliseconds for each key. */
export function memoryLimiter(limit: number, windowMs = 60_000, now: () => number = Date.now): Limiter {
  const windows = new Map<string, { count: number; endsAt: number }>();
  const sweep = (at: number) => {
    for (const [key, window] of windows) if (window.endsAt <= at) windows.delete(key);
  };
  return {
    take(key) {
      const at = now();
      let window = windows.get(key);
      if (!window || window.endsAt <= at) {
        if (windows.size >= SWEEP_AT) sweep(at);
        window = { count: 0, endsAt: at + windowMs };
        windows.set(key, window);
      }
      window.count += 1;
      return {
        limit,
        remaining: Math.max(0, limit - window.count),
        resetsAt: Math.ceil(window.endsAt / 1000),
        exceeded: window.count > limit,
      };
    },
  };
}
