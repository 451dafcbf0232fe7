import { codeOf, QUERY_CANCELED, withSlowPool } from "../../db/mod.ts";
import type { ApiError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Viewer } from "../viewer.ts";

/** Options of slow reads. */
export interface SlowReadOptions {
  readonly viewer: Viewer;
  /** Milliseconds after which the server ends a statement. */
  readonly limitMs: number;
  /** The signal of the request: reads end when the client disconnects. */
  readonly signal?: AbortSignal;
  /** Whether the store may use one plan of a statement for all values: for reads of few rows. False by default. */
  readonly keepsPlans?: boolean;
  /** The answer to an ended statement; a 503 by default. Best a 422 that says how to request less. */
  readonly tooLong?: ApiError;
}

/** Runs slow reads on connections of their own, which users take in turns (`withSlowPool` of the store). */
export type WithSlowPool = <T>(task: SlowReadOptions, run: () => Promise<T>) => Promise<T>;

/** Creates a `WithSlowPool` that logs each statement that exceeded its limit. */
export function slowReads(log: Log): WithSlowPool {
  return async ({ viewer, limitMs, signal, keepsPlans, tooLong }, run) => {
    try {
      return await withSlowPool(
        { key: `${viewer.via === "system" ? "system" : "viewer"} ${viewer.id}`, limitMs, signal, keepsPlans },
        run,
      );
    } catch (error) {
      if (codeOf(error) !== QUERY_CANCELED || !tooLong) throw error;
      if (!signal?.aborted)
        log.warn("Ended a statement that took too long", { limitMs, viewer: viewer.id, reason: tooLong.message });
      throw tooLong;
    }
  };
}
