import { ApiError } from "../errors.ts";
import type { Log } from "../log.ts";
import { diskFullError } from "./disk_full.ts";
import { objectStoreError } from "./object_store_away.ts";
import { storeApiError } from "./store_errors.ts";

/**
 * The answer to an unexpected error: 503 for a failure of the store or the object store, 507 for a full disk, else 500. The error is logged with
 * the fields of `about`, such as method and path; what is answered 503 or 507 without its stack, as it says nothing of the program.
 */
export function unexpectedError(log: Log, error: unknown, about: Readonly<Record<string, unknown>>): ApiError {
  const known = storeApiError(error) ?? objectStoreError(error) ?? diskFullError(error);
  log[known ? "warn" : "error"]("Cannot answer a request", { ...about, error: known ? String(error) : error });
  return known ?? new ApiError(500, "An error occurred");
}
