/**
 * Failures of what the server stores in, and their answers: 503 with `Retry-After` where the database or the object store is
 * unavailable, stalled or busy, and for a statement that exceeded its time limit; 507 for a full disk or an exceeded quota, in the
 * spool of uploads, in the file store, in temporary files or in PostgreSQL. Any other failure is an error of the runtime or a plugin.
 */
import { ConnectionLost, codeOf, QUERY_CANCELED, StoreUnavailable } from "../db/mod.ts";
import { ApiError } from "./errors.ts";

const RETRY_SECONDS = 5;
const headers = { "retry-after": String(RETRY_SECONDS) };
/** SQLSTATEs of a server that is shutting down, starting up, accepts no more connections, or became read-only after a failover. */
const GOING_AWAY = /^(?:08...|57P0[1-5]|53300|25006)$/;
/** Codes of file systems, with EFBIG for a limit on the size of files, and of PostgreSQL (53100). */
const NO_ROOM: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "53100"]);
/** Causes that are searched, as a chain may be circular. */
const MAX_CAUSES = 10;

const UNAVAILABLE = "The database is not available at the moment. Please try again later.";
const FILES_UNAVAILABLE = "The files are not available at the moment. Please try again later.";
const TOO_BUSY = "The server is too busy for this at the moment. Please try again later.";
const TOO_LONG = "This took longer than it may, and was ended. Please try again later.";
const UNKNOWN_OUTCOME =
  "The database stopped answering while this was being saved. Please look whether it was saved before you send it again.";

/**
 * The object store did not answer, or failed for a passing reason as often as a request is sent. Requests are answered 503 by it.
 * @example
 * const response = await fetch("http://127.0.0.1:9000/files/rack.png").catch((cause: unknown) => {
 *   throw new ObjectStoreAway("The object store did not answer", { cause });
 * });
 */
export class ObjectStoreAway extends Error {
  override readonly name = "ObjectStoreAway";
}

/** The answer to a failure of the store, the object store or the disk; undefined for any other error, such as a refused access key. */
export function failureAnswer(error: unknown): ApiError | undefined {
  return storeFailure(error) ?? fileFailure(error);
}

function storeFailure(error: unknown): ApiError | undefined {
  if (error instanceof ConnectionLost) return new ApiError(503, UNAVAILABLE, { headers });
  if (error instanceof StoreUnavailable) return tooBusyError();
  const code = codeOf(error);
  if (code === QUERY_CANCELED) return new ApiError(503, TOO_LONG, { headers });
  return GOING_AWAY.test(code) ? new ApiError(503, UNAVAILABLE, { headers }) : undefined;
}

function fileFailure(error: unknown): ApiError | undefined {
  if (causesOf(error).some((cause) => cause instanceof ObjectStoreAway))
    return new ApiError(503, FILES_UNAVAILABLE, { headers });
  return diskFullError(error);
}

/** The 507 of an error that a full disk caused; undefined for other errors. */
export function diskFullError(error: unknown): ApiError | undefined {
  return causesOf(error).some((cause) => NO_ROOM.has(codeOf(cause))) ? noRoomError() : undefined;
}

/** An error and the causes of it. */
function causesOf(thrown: unknown): Error[] {
  const causes: Error[] = [];
  for (let error = thrown; causes.length < MAX_CAUSES && error instanceof Error; error = error.cause)
    causes.push(error);
  return causes;
}

/**
 * The 507 of a full disk.
 * @example
 * const child = Bun.spawn(["weasyprint", "in.html", "out.pdf"], { stderr: "pipe" });
 * if ((await new Response(child.stderr).text()).includes("No space left")) throw noRoomError();
 */
export function noRoomError(): ApiError {
  const text = "The server has no room left to store this. Its operator has to free some disk space.";
  return new ApiError(507, text);
}

/** The answer to a request that has waited as long as it may. */
export function tooBusyError(): ApiError {
  return new ApiError(503, TOO_BUSY, { headers });
}

/** The answer if a commit was not confirmed. It may have happened, so the answer has no `Retry-After`. */
export function unknownOutcomeError(): ApiError {
  return new ApiError(503, UNKNOWN_OUTCOME);
}
