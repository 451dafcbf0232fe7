/**
 * What failures of the store mean for whoever asked: one that is away, stalled or too busy is a 503 that says when to come
 * again; so is a statement that it ended after its limit. Every other failure is an error of ours.
 */
import { ConnectionLost, QUERY_CANCELED, StoreUnavailable, withSlowPool } from "../../db/mod.ts";
import { ApiError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Viewer } from "../viewer.ts";

const RETRY_SECONDS = 5;
const headers = { "retry-after": String(RETRY_SECONDS) };
/** Codes of a server that is going away, coming up, or takes no more connections; the last letters of 08 and 57P vary. */
const GOING_AWAY = /^(?:08...|57P0[1-5]|53300)$/;

const UNAVAILABLE = "The database is not available at the moment. Please try again later.";
const TOO_BUSY = "The server is too busy for this at the moment. Please try again later.";
const TOO_LONG = "This took longer than it may, and was ended. Please try again later.";
const UNKNOWN_OUTCOME =
  "The database stopped answering while this was being saved. Please look whether it was saved before you send it again.";

/** What is answered because of a failure of the store; undefined for every other failure. */
export function storeApiError(error: unknown): ApiError | undefined {
  if (error instanceof ConnectionLost) return new ApiError(503, UNAVAILABLE, { headers });
  if (error instanceof StoreUnavailable) return new ApiError(503, TOO_BUSY, { headers });
  const code = codeOf(error);
  if (code === QUERY_CANCELED) return new ApiError(503, TOO_LONG, { headers });
  return GOING_AWAY.test(code) ? new ApiError(503, UNAVAILABLE, { headers }) : undefined;
}

/** What is answered where a commit was not: it may have happened, so nobody is told that it failed, nor when to send it again. */
export function unknownOutcomeError(): ApiError {
  return new ApiError(503, UNKNOWN_OUTCOME);
}

/** The SQLSTATE of a failure, "" where it has none. */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

/** What may take long, for whom. */
export interface SlowReadOptions {
  readonly viewer: Viewer;
  /** After which the server ends a statement, in milliseconds. */
  readonly limitMs: number;
  /** Of the request, so that nothing goes on for a client that has gone away. */
  readonly signal?: AbortSignal;
  /** What is answered then: by default a 503, better a 422 that says how to ask for less. */
  readonly tooLong?: ApiError;
}

/** Runs reads that may take long on connections of their own, where users take turns (`withSlowPool` of the store). */
export type WithSlowPool = <T>(task: SlowReadOptions, run: () => Promise<T>) => Promise<T>;

/** Makes `WithSlowPool`; what was ended is logged once. */
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
