/**
 * The answers to failures of the store: 503 with `Retry-After` if it is unavailable, stalled or busy, and for a statement that
 * exceeded its time limit. Any other failure is an error of the runtime or a plugin.
 */
import { ConnectionLost, QUERY_CANCELED, StoreUnavailable, withSlowPool } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Viewer } from "../viewer.ts";

const RETRY_SECONDS = 5;
const headers = { "retry-after": String(RETRY_SECONDS) };
/** SQLSTATEs of a server that is shutting down, starting up, accepts no more connections, or became read-only after a failover. */
const GOING_AWAY = /^(?:08...|57P0[1-5]|53300|25006)$/;

const UNAVAILABLE = "The database is not available at the moment. Please try again later.";
const TOO_BUSY = "The server is too busy for this at the moment. Please try again later.";
const TOO_LONG = "This took longer than it may, and was ended. Please try again later.";
const UNKNOWN_OUTCOME =
  "The database stopped answering while this was being saved. Please look whether it was saved before you send it again.";

/** The answer to a failure of the store; undefined for any other error. */
export function storeApiError(error: unknown): ApiError | undefined {
  if (error instanceof ConnectionLost) return new ApiError(503, UNAVAILABLE, { headers });
  if (error instanceof StoreUnavailable) return new ApiError(503, TOO_BUSY, { headers });
  const code = codeOf(error);
  if (code === QUERY_CANCELED) return new ApiError(503, TOO_LONG, { headers });
  return GOING_AWAY.test(code) ? new ApiError(503, UNAVAILABLE, { headers }) : undefined;
}

/** The answer if a commit was not confirmed. It may have happened, so the answer has no `Retry-After`. */
export function unknownOutcomeError(): ApiError {
  return new ApiError(503, UNKNOWN_OUTCOME);
}

/** The SQLSTATE of an error, "" if it has none. */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

/** Options of slow reads. */
export interface SlowReadOptions {
  readonly viewer: Viewer;
  /** Milliseconds after which the server ends a statement. */
  readonly limitMs: number;
  /** The signal of the request: reads end when the client disconnects. */
  readonly signal?: AbortSignal;
  /** The answer to an ended statement; a 503 by default. Best a 422 that says how to request less. */
  readonly tooLong?: ApiError;
}

/** Runs slow reads on connections of their own, which users take in turns (`withSlowPool` of the store). */
export type WithSlowPool = <T>(task: SlowReadOptions, run: () => Promise<T>) => Promise<T>;

/** Creates a `WithSlowPool` that logs each statement that exceeded its limit. */
export function slowReads(log: Log): WithSlowPool {
  return async ({ viewer, limitMs, signal, tooLong }, run) => {
    try {
      return await withSlowPool(
        { key: `${viewer.via === "system" ? "system" : "viewer"} ${viewer.id}`, limitMs, signal },
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
