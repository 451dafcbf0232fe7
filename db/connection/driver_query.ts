/** Internals of a statement of postgres.js, which its types do not show. */

/** `state` is set when the statement is sent; with `cancelled` it is not sent any more. */
export interface DriverQuery {
  state: { readonly pid: number } | null;
  cancelled: unknown;
  reject(error: unknown): void;
}

/** Errors of statements with a stale plan, which had no effect and can be sent again. */
const STALE_PLANS = new WeakSet<object>();

/** Rejects a statement whose plan is stale instead of having postgres.js repeat it; `onStale` is called first. */
export function neverRepeated(query: DriverQuery, onStale: () => void): void {
  // postgres.js sets this when it is about to repeat the statement.
  Object.defineProperty(query, "retried", {
    get: () => undefined,
    set: (error: object) => {
      onStale();
      STALE_PLANS.add(error);
      query.cancelled = {};
      query.reject(error);
    },
  });
}

/** Whether an error is that of a statement with a stale plan. */
export function isStalePlan(error: unknown): boolean {
  return typeof error === "object" && error !== null && STALE_PLANS.has(error);
}
