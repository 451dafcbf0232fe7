/** What is answered when something was thrown that is no refusal. */
import { ApiError } from "../errors.ts";
import type { Log } from "../log.ts";
import { diskFullError } from "./disk_full.ts";
import { storeApiError } from "./store_errors.ts";

/**
 * The answer to something unexpected: 503 or the like where the store says why, 507 where a disk is full, else 500. It is
 * logged under `about`, such as the request's method and path; of what the store is known to say only the words.
 */
export function unexpectedError(log: Log, error: unknown, about: Readonly<Record<string, unknown>>): ApiError {
  const known = storeApiError(error);
  log[known ? "warn" : "error"]("Cannot answer a request", { ...about, error: known ? String(error) : error });
  return known ?? diskFullError(error) ?? new ApiError(500, "An error occurred");
}
