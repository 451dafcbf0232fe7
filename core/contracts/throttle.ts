/** How often something may be tried. */
export interface Allowed {
  /** The name of the limit, such as "sign in by account". */
  readonly name: string;
  readonly attempts: number;
  /** Length of the window that the first attempt opens, in seconds. */
  readonly seconds: number;
}

/**
 * Limits on what may be guessed, such as passwords. They are counted in the store: processes agree, and a restart
 * forgets nothing. The limit on requests in general is another one (platform 1.6).
 */
export interface Throttle {
  /** Counts an attempt by a key, such as an address. Throws ApiError 429 with Retry-After once there were too many. */
  take(limit: Allowed, key: string): Promise<void>;
  /** Forgets a key's attempts, such as those before a success. */
  forgive(limit: Allowed, key: string): Promise<void>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    throttle: Throttle;
  }
}
