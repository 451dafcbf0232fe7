import { ApiError } from "../errors.ts";
import { failureAnswer } from "../failures.ts";
import type { Log } from "../log.ts";

/**
 * The answer to an unexpected error: 503 for a failure of the store or the object store, 507 for a full disk, else 500. The error is logged with
 * the fields of `about`, such as method and path; what is answered 503 or 507 without its stack, as it says nothing of the program.
 */
export function unexpectedError(log: Log, error: unknown, about: Readonly<Record<string, unknown>>): ApiError {
  const known = failureAnswer(error);
  log[known ? "warn" : "error"]("Cannot answer a request", { ...about, error: known ? String(error) : error });
  return known ?? new ApiError(500, "An error occurred");
}
